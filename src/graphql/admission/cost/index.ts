/** Estimated and actual cost of operations. */

export { printWithCosts } from './cost-print.js';
export { costRefusal } from './cost-refusal.js';
export type { CostLimits } from './cost-table.js';
export { Spending } from './spending.js';
