import t from 'tap';

import { MISSING } from '../redis/kit.js';
import { testBudgets } from './redis-budgets.js';
import { testConnections } from './redis-connections.js';
import { testEvents } from './redis-events.js';
import { testNonces } from './redis-nonces.js';
import { testResumption } from './redis-resumption.js';
import { Rows } from './rows.js';

/**
 * Group R against real servers of Redis, which are killed, stopped, emptied, cut off and brought
 * back.
 */

const rows = new Rows('redis');

t.test('group R', { skip: MISSING }, async (t) => {
  t.jobs = 2;
  testBudgets(t, rows);
  testConnections(t, rows);
  testEvents(t, rows);
  testNonces(t, rows);
  testResumption(t, rows);
});

t.test('the part is complete', { skip: MISSING }, async (t) => rows.assertComplete(t));
