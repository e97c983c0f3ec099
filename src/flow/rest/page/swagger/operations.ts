/** Parts of what Swagger UI hands to plug-ins, as far as they are used here. */
interface ImmutableList<T> {
  readonly size: number;
  filter(test: (item: T) => boolean): ImmutableList<T>;
  map<U>(make: (item: T) => U): ImmutableList<U>;
  toArray(): T[];
}

interface ImmutableMap {
  get(key: 'operations'): ImmutableList<ImmutableMap>;
  get(key: string): unknown;
  set(key: string, value: unknown): ImmutableMap;
  getIn(path: readonly string[]): unknown;
}

interface Tags {
  map(change: (tag: ImmutableMap, name: string) => ImmutableMap): Tags;
  filter(test: (tag: ImmutableMap) => boolean): Tags;
  entrySeq(): ImmutableList<readonly [name: string, tag: ImmutableMap]>;
}

type Component = (props: Readonly<Record<string, unknown>>) => unknown;

interface System {
  readonly React: {
    createElement(
      component: unknown,
      props: Readonly<Record<string, unknown>>,
      ...children: readonly unknown[]
    ): unknown;
  };
}

interface ListProps extends Readonly<Record<string, unknown>> {
  readonly specSelectors: { taggedOperations(): Tags; url(): string };
  readonly getComponent: (name: string, isContainer?: boolean) => unknown;
}

/** Beyond so many operations only those on the screen are in the document: each takes 2 ms. */
const LISTED_MAX = 2000;

/** Whether the path, the summary or the id of an operation has the text, in any case of letters. */
function hasText(operation: ImmutableMap, text: string): boolean {
  const texts = [
    operation.get('path'),
    operation.getIn(['operation', 'summary']),
    operation.getIn(['operation', 'operationId']),
  ];
  return texts.some((each) => typeof each === 'string' && each.toLowerCase().includes(text));
}

/**
 * Lists all operations: Swagger UI has those on the screen alone in the document beyond 149, which
 * the search of a browser does not find. The filter finds operations; that of Swagger UI finds
 * groups.
 */
export const operationList = () => ({
  fn: {
    opsFilter(tags: Tags, phrase: string): Tags {
      const text = phrase.trim().toLowerCase();
      return tags
        .map((tag) =>
          tag.set(
            'operations',
            tag.get('operations').filter((each) => hasText(each, text)),
          ),
        )
        .filter((tag) => tag.get('operations').size > 0);
    },
  },
  wrapComponents: {
    operations:
      (Windowed: Component, { React: { createElement } }: System) =>
      (props: ListProps): unknown => {
        const { specSelectors, getComponent } = props;
        const tags = specSelectors.taggedOperations().entrySeq().toArray();
        const count = tags.reduce((sum, [, tag]) => sum + tag.get('operations').size, 0);
        if (count === 0 || count > LISTED_MAX) return createElement(Windowed, props);
        const [Group, Operation] = [
          getComponent('OperationTag'),
          getComponent('OperationContainer', true),
        ];
        const groups = tags.map(([name, tag]) =>
          createElement(
            Group,
            { ...props, key: name, tag: name, tagObj: tag, specUrl: specSelectors.url() },
            createElement(
              'div',
              { className: 'operation-tag-content' },
              tag
                .get('operations')
                .map((op) => {
                  const [path, method] = [op.get('path'), op.get('method')];
                  const key = `${path}-${method}`;
                  return createElement(Operation, {
                    key,
                    specPath: op.get('specPath'),
                    op,
                    path,
                    method,
                    tag: name,
                  });
                })
                .toArray(),
            ),
          ),
        );
        return createElement('div', {}, groups);
      },
  },
});
