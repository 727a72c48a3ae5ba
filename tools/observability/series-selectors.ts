import { parser } from '@prometheus-io/lezer-promql'

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/** The part of a query that selects the series of one metric. */
export interface SeriesSelector {
  readonly metric: string
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[]
}

/** Series that a query selects. */
export interface QueryParts {
  readonly selectors: readonly SeriesSelector[]
  /** Labels of `by`, `on` and `group_left`. */
  readonly labels: readonly string[]
}

/**
 * Parses PromQL with the grammar of Prometheus.
 *
 * @throws Error that quotes the part which is not PromQL
 */
export function parseQuery(query: string): QueryParts {
  const selectors: SeriesSelector[] = []
  const labels: string[] = []
  const text = (node: SyntaxNode): string => query.slice(node.from, node.to)
  parser.parse(query).iterate({
    enter(reference) {
      const { node } = reference
      if (node.type.isError) throw new Error(`not PromQL at ${JSON.stringify(query.slice(node.from))} of ${query}`)
      if (node.name === 'GroupingLabels') labels.push(...node.getChildren('LabelName').map(text))
      if (node.name !== 'VectorSelector') return
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
      selectors.push({
        metric: text(node.getChild('Identifier')!),
        matchers: matchers.map((matcher) => ({
          label: text(matcher.getChild('LabelName')!),
          operator: text(matcher.getChild('MatchOp')!),
          value: text(matcher.getChild('StringLiteral')!).slice(1, -1),
        })),
      })
    },
  })
  return { selectors, labels }
}
