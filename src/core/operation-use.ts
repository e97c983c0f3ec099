/**
 * What one GraphQL operation uses. Names of fields are of the schema, that of the operation is of
 * the caller.
 */
export interface OperationUse {
  /** '' for an operation without a name. */
  readonly name: string;
  /** The operations of services that it calls: `orders.GetOrder`. */
  readonly calls: readonly string[];
  /** `Type.field`. */
  readonly fields: readonly string[];
  /** `Type.field(argument:)`. */
  readonly arguments: readonly string[];
}
