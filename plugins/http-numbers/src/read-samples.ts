import { z } from 'zod'

/** One sample of an instant query. */
export interface Sample {
  /** Empty for a scalar. */
  readonly labels: ReadonlyMap<string, string>
  readonly timeMs: number
  /** As Prometheus prints it: a number, NaN, +Inf or -Inf. */
  readonly value: string
}

const point = z.tuple([z.number(), z.string()])

/** The answer of Prometheus to `/api/v1/query`, for the types of results with one time. */
const answer = z.object({
  status: z.literal('success'),
  data: z.union([
    z.object({
      resultType: z.literal('vector'),
      result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: point })),
    }),
    z.object({ resultType: z.literal('scalar'), result: point }),
  ]),
})

/**
 * Creates a reader of the samples of one node. It keeps the samples of the last answer by node, because one answer may
 * serve thousands of nodes.
 *
 * @param nodeLabel - Label whose value is the name of the node. Omit it if every sample is of the node.
 * @returns A reader that returns an empty list for a node without samples, and throws as {@link readSamples}.
 */
export function createSampleReader(
  nodeLabel: string | undefined,
): (body: unknown, nodeName: string) => readonly Sample[] {
  let last: { readonly body: unknown; readonly byNode: ReadonlyMap<string | undefined, readonly Sample[]> } | undefined
  const nodeOf = ({ labels }: Sample): string | undefined =>
    nodeLabel === undefined ? undefined : labels.get(nodeLabel)
  return (body, nodeName) => {
    if (last === undefined || last.body !== body) last = { body, byNode: Map.groupBy(readSamples(body), nodeOf) }
    return last.byNode.get(nodeLabel === undefined ? undefined : nodeName) ?? []
  }
}

/**
 * Reads the samples of an instant query.
 *
 * @throws Error for an answer that is neither an instant vector nor a scalar.
 */
export function readSamples(body: unknown): readonly Sample[] {
  const parsed = answer.safeParse(body)
  if (!parsed.success) throw new Error('the answer is neither an instant vector nor a scalar of Prometheus')
  const { data } = parsed.data
  const points = data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result
  return points.map(({ metric, value: [seconds, value] }) => ({
    labels: new Map(Object.entries(metric)),
    timeMs: seconds * 1000,
    value,
  }))
}
