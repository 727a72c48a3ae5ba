import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { fillNodeName } from '@berth/source-kit/node-placeholder'
import { parseAmount } from '@berth/source-kit/parse-amount'
import { runProgram } from '@berth/source-kit/run-program'
import { firstLine } from '@berth/text/first-line'
import { printableLine } from '@berth/text/printable'
import { z } from 'zod'

/** Arguments of command. */
export interface CommandArgs {
  readonly command: readonly string[]
}

const argsSchema: z.ZodType<CommandArgs> = z.strictObject({
  command: z
    .array(z.string().max(4096))
    .min(1)
    .max(64)
    .refine(([program = '']) => program.startsWith('/'), 'expected the absolute path of a program first')
    .describe(
      'Program in the container of the advertiser, with its arguments, that prints the number: 4, 1.5 or 32Gi. No shell interprets it. {node} stands for the name of the node.',
    ),
})

/** Reads the number from the standard output of a program. */
export const command: ResourceSourcePlugin<CommandArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'command',
  description: 'Reads the units from what a program prints.',
  argsSchema,
  create: ({ command }, { clock }) => ({
    async compute({ metadata: { name = '' } }, signal) {
      signal.throwIfAborted()
      const [program = '', ...args] = command
      const filled = [program, ...args.map((arg) => fillNodeName(arg, name))]
      const { status, stdout, output } = await runProgram(filled, { env: { BERTH_NODE_NAME: name }, signal })
      signal.throwIfAborted()
      if (status !== 0) {
        const reason = printableLine(firstLine(output))
        throw new Error(`${program} ended with ${status}${reason === '' ? '' : `: ${reason}`}`)
      }
      return { units: parseAmount(stdout, `the output of ${program}`), observedAtMs: clock.now() }
    },
  }),
})
