import { z } from 'zod'

const pathTemplate = z.string().regex(/^(\/|\{path\}|\{sysfs\}\/)/, 'expected an absolute path, {path} or {sysfs}/…')
const seconds = (max: number): z.ZodNumber => z.number().min(0.1).max(max)

/** Settings that every probe has. */
const common = {
  intervalSeconds: seconds(3600).default(10).describe('Interval between two runs for a device, in seconds.'),
  timeoutSeconds: seconds(300).default(5).describe('A run that takes longer fails, in seconds.'),
  failureThreshold: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Failures in a row after which the device is unhealthy. Default: 1 for files, 3 for command, script and tcp.',
    ),
  successThreshold: z.int().min(1).max(100).default(1).describe('Passes in a row after which it is healthy again.'),
  flapDampingSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(30)
    .describe(
      'How long a device that failed twice within ten minutes must pass before it is healthy again, in seconds. It doubles with every further failure. 0 turns it off.',
    ),
  onFailure: z
    .enum(['unhealthy', 'remove'])
    .default('unhealthy')
    .describe(
      'unhealthy: the device stays in capacity. remove: it leaves the list until it passes again, but with podResources not while a container holds it.',
    ),
}

/** Settings of one entry of `health`. */
export const probeConfig = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('exists').describe('The paths of the device exist.'),
    path: pathTemplate.optional().describe('Another path to check. {path}, {name} and {id} are those of the device.'),
    ...common,
  }),
  z.strictObject({
    type: z.literal('readable').describe('This process may read the paths of the device. They are not opened.'),
    path: pathTemplate.optional().describe('Another path to check. {path}, {name} and {id} are those of the device.'),
    ...common,
  }),
  z
    .strictObject({
      type: z.literal('sysfs').describe('The first line of a file has an expected value.'),
      path: pathTemplate.describe('The file. {sysfs} is the directory of the device node in /sys/dev.'),
      equals: z.string().max(200).optional().describe('Expected text.'),
      min: z.number().optional().describe('Minimum of the number in the file.'),
      max: z.number().optional().describe('Maximum of the number in the file.'),
      ...common,
    })
    .refine(({ equals, min, max }) => equals !== undefined || min !== undefined || max !== undefined, {
      path: ['equals'],
      message: 'expected equals, min or max',
    }),
  z.strictObject({
    type: z.literal('command').describe('A program exits with 0.'),
    command: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(50)
      .describe('The program and its arguments, without a shell. {path} and {id} are replaced.'),
    ...common,
  }),
  z.strictObject({
    type: z.literal('script').describe('A program prints Healthy, or Unhealthy: reason.'),
    script: z
      .string()
      .regex(/^\//, 'expected an absolute path')
      .describe('Executable file. It gets BERTH_DEVICE_ID and BERTH_DEVICE_PATH in its environment.'),
    ...common,
  }),
  z.strictObject({
    type: z.literal('tcp').describe('A port accepts connections.'),
    host: z.string().min(1).max(253).default('127.0.0.1').describe('Host or address.'),
    port: z.int().min(1).max(65_535).describe('Port.'),
    ...common,
  }),
])

/** A validated entry of `health`. */
export type ProbeConfig = z.output<typeof probeConfig>
