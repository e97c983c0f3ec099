/** Loads what wraps schemas of services that speak GraphQL: few gateways need its library. */
export const loadWrap = (): Promise<typeof import('./wrap.js')> => import('./wrap.js');
