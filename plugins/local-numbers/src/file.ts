import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { fillNodeName } from '@berth/source-kit/node-placeholder'
import { parseAmount } from '@berth/source-kit/parse-amount'
import { z } from 'zod'

/** More than any number needs. A longer file is refused, not read. */
const MAX_FILE_BYTES = 4096

/** Arguments of file. */
export interface FileArgs {
  readonly path: string
  readonly useModificationTime: boolean
}

const argsSchema: z.ZodType<FileArgs> = z.strictObject({
  path: z
    .string()
    .max(4096)
    .regex(/^\//, 'expected an absolute path')
    .describe(
      'File in the container of the advertiser that holds the number: 4, 1.5 or 32Gi. {node} stands for the name of the node.',
    ),
  useModificationTime: z
    .boolean()
    .default(false)
    .describe(
      'Take the time of the last change as the time of the observation, so that the value of a writer that has stopped becomes too old. Default: the time of the read.',
    ),
})

/** Reads the number from a file. */
export const file: ResourceSourcePlugin<FileArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'file',
  description: 'Reads the units from a file.',
  argsSchema,
  create: ({ path, useModificationTime }, { clock }) => ({
    async compute({ metadata: { name = '' } }, signal) {
      signal.throwIfAborted()
      const filled = fillNodeName(path, name)
      const { text, changedAtMs } = await readSmallFile(filled)
      return { units: parseAmount(text, filled), observedAtMs: useModificationTime ? changedAtMs : clock.now() }
    },
  }),
})

async function readSmallFile(path: string): Promise<{ readonly text: string; readonly changedAtMs: number }> {
  // A named pipe would wait for its writer.
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stats = await handle.stat()
  if (!stats.isFile()) throw new Error(`${path} is not a file`)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_FILE_BYTES + 1), 0, MAX_FILE_BYTES + 1, 0)
  if (bytesRead > MAX_FILE_BYTES) throw new Error(`${path} has more than ${MAX_FILE_BYTES} bytes`)
  return { text: buffer.toString('utf8', 0, bytesRead), changedAtMs: stats.mtimeMs }
}
