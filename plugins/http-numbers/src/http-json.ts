import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { queryUrl } from './http/query-url.ts'
import { createServerReader, maxBodyBytes } from './http/server-reader.ts'
import { numberIn, timeIn, valueAt } from './number-in-json.ts'

/** Arguments of http-json. */
export interface HttpJsonArgs {
  readonly url: string
  readonly pointer: string
  readonly timePointer?: string | undefined
  readonly maxBodyBytes: number
}

const pointer = z
  .string()
  .max(1024)
  .regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'expected a JSON pointer, such as /free')

const argsSchema: z.ZodType<HttpJsonArgs> = z.strictObject({
  url: queryUrl.describe('URL with http or https. {node} stands for the name of the node.'),
  pointer: pointer.describe(
    'JSON pointer (RFC 6901) to the number in the answer: /free, or /nodes/{node}/free. Empty: the whole answer.',
  ),
  timePointer: pointer
    .optional()
    .describe(
      'JSON pointer to the time of the observation: seconds since 1970, or a text such as 2026-01-31T12:00:00Z. Default: the time of the answer.',
    ),
  maxBodyBytes,
})

/** Reads the number from an HTTP server that answers in JSON. */
export const httpJson: ResourceSourcePlugin<HttpJsonArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'http-json',
  description: 'Reads the units from an HTTP server that answers in JSON.',
  argsSchema,
  create({ url, pointer, timePointer, maxBodyBytes }, env) {
    const read = createServerReader(url, { maxBodyBytes, env })
    return {
      async compute({ metadata: { name = '' } }, signal) {
        const { body, receivedAtMs } = await read(name, signal)
        const units = numberIn(valueAt(body, pointer, name), `the value at ${pointer}`)
        const observedAtMs =
          timePointer === undefined
            ? receivedAtMs
            : timeIn(valueAt(body, timePointer, name), `the value at ${timePointer}`)
        return { units, observedAtMs }
      },
    }
  },
})
