/**
 * The records of the demonstration: computed from their numbers, so that every run shows the same.
 */

export type OrderStatus = 'NEW' | 'PAID' | 'ON HOLD' | 'SHIPPED' | 'CANCELLED';

export interface Customer {
  readonly code: string;
  readonly name: string;
  readonly vip: boolean;
  readonly creditLimitCents: number | null;
  readonly since: string;
  readonly phones: readonly string[];
  readonly address: {
    readonly street: string;
    readonly city: string;
    readonly postcode: string | null;
    readonly country: string;
  };
}

export interface Line {
  readonly no: number;
  readonly sku: string;
  readonly quantity: number;
  readonly priceCents: number;
  /** `undefined`: not mentioned; null: said to be none. */
  readonly engraving: string | null | undefined;
}

export interface Order {
  readonly id: number;
  readonly serial: bigint;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly dueDate: string | null;
  readonly note: string | null;
  readonly customer: Customer;
  /** null: the form has not been typed in. */
  readonly lines: readonly Line[] | null;
  readonly tags: readonly string[];
  readonly priority: number | null;
}

export type NewOrder = Pick<Order, 'customer' | 'dueDate' | 'note'> & {
  readonly lines: readonly Line[];
};

const CUSTOMERS = 40;
const SEEDED_ORDERS = 250;
const PLACED_ORDERS_KEPT = 1000;
/** The first serial number that a double cannot hold. */
const SERIAL_BASE = 9_007_199_254_740_993n;

const NAMES = [
  'Zoë Søndergård',
  "O'Hara & Sons",
  'Müller <Nord>',
  'Łukasz Żak',
  'Ana "Nita" Núñez',
  '株式会社 山田',
  'Bakker',
  'De Smet',
];
const CITIES = [
  ['Liège', 'BE'],
  ['Århus', 'DK'],
  ['Köln', 'DE'],
  ['Łódź', 'PL'],
] as const;
const ARTICLES = ['AX-100', 'AX-200', 'BR-15', 'KN-7', 'PT-3000', 'ZZ-1'];
const STATUSES = ['NEW', 'PAID', 'ON HOLD', 'SHIPPED'] as const;
const TAGS = ['fragile', 'gift', 'export'];

const two = (n: number): string => String(n).padStart(2, '0');

function pick<T>(list: readonly T[], n: number): T {
  const item = list[n % list.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
}

export function totalCents(lines: readonly Line[] | null): number {
  let cents = 0;
  for (const line of lines ?? []) cents += line.quantity * line.priceCents;
  return cents;
}

export function serialOf(n: number): bigint {
  return SERIAL_BASE + BigInt(n);
}

export function articleOf(n: number): string {
  return pick(ARTICLES, n);
}

function makeCustomer(n: number): Customer {
  const [city, country] = pick(CITIES, n);
  return {
    code: `C${String(n).padStart(3, '0')}`,
    name: pick(NAMES, n),
    vip: n % 3 === 1,
    creditLimitCents: n % 2 === 1 ? 100_000 + n * 50 : null,
    since: `${2001 + (n % 20)}-${two(1 + (n % 12))}-${two(1 + (n % 28))}`,
    phones: ['+32 4 555 01', '+32 4 555 02', '+32 4 555 03'].slice(0, n % 4),
    address: {
      street: `Rue de l'Été ${n}`,
      city,
      postcode: n % 5 === 0 ? null : String(1000 + n),
      country,
    },
  };
}

function makeLine(order: number, no: number): Line {
  const engraving = (order + no) % 3;
  return {
    no,
    sku: articleOf(order + no),
    quantity: 1 + ((order * no) % 4),
    priceCents: 990 + 1000 * ((order + no) % 5),
    engraving:
      engraving === 0 ? null : engraving === 1 ? undefined : `For ${order}/${no} — “always”`,
  };
}

function makeOrder(id: number, customer: Customer): Order {
  const month = 1 + (id % 12);
  const lineCount = id % 5 === 0 ? 0 : 1 + (id % 3);
  return {
    id,
    serial: serialOf(id),
    status: id % 17 === 0 ? 'CANCELLED' : pick(STATUSES, id),
    placedAt: `2024-${two(month)}-${two(1 + (id % 28))}T${two(8 + (id % 10))}:${two(id % 60)}:00${month > 3 && month < 11 ? '+02:00' : '+01:00'}`,
    dueDate: id % 2 === 1 ? `2024-12-${two(1 + (id % 28))}` : null,
    note: id % 3 === 0 ? null : `Deliver to dock ${id % 9}\n& ring <twice>`,
    customer,
    lines:
      id % 11 === 0
        ? null
        : Array.from({ length: lineCount }, (_, index) => makeLine(id, index + 1)),
    tags: TAGS.slice(0, id % 4),
    priority: id % 6 === 0 ? null : id % 5,
  };
}

/** What the desk knows: the seed, and what was placed or cancelled since. Bounded. */
export class Desk {
  readonly #customers = new Map<string, Customer>();
  readonly #placed = new Map<number, Order>();
  readonly #cancelled = new Set<number>();
  #nextId = SEEDED_ORDERS + 1;

  constructor() {
    for (let n = 1; n <= CUSTOMERS; n++) {
      const customer = makeCustomer(n);
      this.#customers.set(customer.code, customer);
    }
  }

  customer(code: string): Customer | null {
    return this.#customers.get(code) ?? null;
  }

  customers(): Iterable<Customer> {
    return this.#customers.values();
  }

  order(id: number): Order | null {
    const customer = this.customer(`C${String(1 + (id % CUSTOMERS)).padStart(3, '0')}`);
    const seeded =
      id >= 1 && id <= SEEDED_ORDERS && customer !== null ? makeOrder(id, customer) : null;
    const order = seeded ?? this.#placed.get(id) ?? null;
    return order !== null && this.#cancelled.has(id) ? { ...order, status: 'CANCELLED' } : order;
  }

  /** Orders by number; `status` null for all. */
  *orders(status: string | null): Generator<Order> {
    for (let id = 1; id < this.#nextId; id++) {
      const order = this.order(id);
      if (order !== null && (status === null || order.status === status)) yield order;
    }
  }

  place(order: NewOrder): Order {
    const id = this.#nextId++;
    const placed: Order = {
      ...order,
      id,
      serial: serialOf(id),
      status: 'NEW',
      placedAt: new Date().toISOString(),
      tags: [],
      priority: null,
    };
    this.#placed.set(id, placed);
    const oldest = id - PLACED_ORDERS_KEPT;
    this.#placed.delete(oldest);
    if (oldest > SEEDED_ORDERS) this.#cancelled.delete(oldest);
    return placed;
  }

  cancel(order: Order): void {
    this.#cancelled.add(order.id);
  }

  reset(): void {
    this.#placed.clear();
    this.#cancelled.clear();
    this.#nextId = SEEDED_ORDERS + 1;
  }
}
