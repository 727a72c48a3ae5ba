import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { queryUrl } from './http/query-url.ts'
import { createServerReader, maxBodyBytes } from './http/server-reader.ts'
import { numberIn } from './number-in-json.ts'
import { createSampleReader } from './read-samples.ts'

/** Arguments of prometheus. */
export interface PrometheusArgs {
  readonly url: string
  readonly query: string
  readonly nodeLabel?: string | undefined
  readonly maxBodyBytes: number
}

const argsSchema: z.ZodType<PrometheusArgs> = z.strictObject({
  url: queryUrl
    .refine((text) => !text.includes('{') && !text.includes('?'), 'expected a URL without {node} and without a query')
    .describe('URL of the Prometheus server, without /api/v1/query.'),
  query: z
    .string()
    .min(1)
    .max(4096)
    .describe('PromQL expression. {node} stands for the name of the node. It must have one sample for each node.'),
  nodeLabel: z
    .string()
    .regex(/^[a-zA-Z_]\w*$/, 'expected the name of a label')
    .max(128)
    .optional()
    .describe(
      'Label whose value is the name of the node. One query then serves all nodes. Default: the query has one sample.',
    ),
  maxBodyBytes,
})

/** Reads the number from an instant query to Prometheus, or to a server with its API. */
export const prometheus: ResourceSourcePlugin<PrometheusArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'prometheus',
  description: 'Reads the units from a query to Prometheus.',
  argsSchema,
  create({ url, query, nodeLabel, maxBodyBytes }, env) {
    // Encoded except for the placeholder, which is filled for each node with a name that needs no encoding.
    const encoded = encodeURIComponent(query).replaceAll('%7Bnode%7D', '{node}')
    const read = createServerReader(`${url.replace(/\/+$/, '')}/api/v1/query?query=${encoded}`, { maxBodyBytes, env })
    const samplesOf = createSampleReader(nodeLabel)
    return {
      async compute({ metadata: { name = '' } }, signal) {
        const { body } = await read(name, signal)
        const samples = samplesOf(body, name)
        const [sample] = samples
        if (sample === undefined || samples.length > 1) {
          const where = nodeLabel === undefined ? '' : ` with ${nodeLabel}="${name}"`
          throw new Error(`the query has ${samples.length} samples${where}, expected one`)
        }
        return { units: numberIn(sample.value, 'the sample'), observedAtMs: sample.timeMs }
      },
    }
  },
})
