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
