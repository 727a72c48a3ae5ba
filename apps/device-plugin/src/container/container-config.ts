import { z } from 'zod'

const absolutePath = z.string().regex(/^\//, 'expected an absolute path').max(4096)

const text = z.string().max(32_768)

/** The key `container` of a resource: what a container gets in addition to its devices. */
export const containerConfig = z
  .strictObject({
    env: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/, 'expected letters, digits and underscores'), text)
      .default({})
      .describe(
        'Environment variables. {ids} are the sorted device ids and {paths} their paths in the container, both separated by commas.',
      ),
    annotations: z
      .record(z.string().min(1).max(317), text)
      .default({})
      .describe('Annotations of the container for the runtime, with {ids} and {paths}.'),
    mounts: z
      .array(
        z.strictObject({
          hostPath: absolutePath.describe('Path on the node.'),
          containerPath: absolutePath.optional().describe('Path in the container. Default: hostPath.'),
          readOnly: z.boolean().default(true).describe('Mount it read-only.'),
        }),
      )
      .max(100)
      .default([])
      .describe('Files and directories of the node.'),
    deviceNodes: z
      .array(
        z.strictObject({
          hostPath: absolutePath.describe('Device node on the node.'),
          containerPath: absolutePath.optional().describe('Path in the container. Default: hostPath.'),
          permissions: z
            .string()
            .regex(/^(?!.*(.).*\1)[rwm]{1,3}$/, 'expected a combination of r, w and m')
            .default('rw')
            .describe('A combination of r (read), w (write) and m (mknod).'),
        }),
      )
      .max(100)
      .default([])
      .describe('Device nodes that every container gets, such as a control device.'),
    cdiDevices: z
      .array(z.string().regex(/^[^\s/=]+\/[^\s/=]+=[^\s=]+$/, 'expected a CDI name: vendor.com/class=device'))
      .max(100)
      .default([])
      .describe('CDI devices that another program describes on the node: vendor.com/class=device.'),
  })
  .superRefine(({ mounts, deviceNodes }, context) => {
    const seen = new Set<string>()
    for (const [key, entries] of Object.entries({ mounts, deviceNodes })) {
      for (const [index, { hostPath, containerPath = hostPath }] of entries.entries()) {
        if (seen.has(containerPath)) {
          const message = `another entry has the container path ${containerPath}`
          context.addIssue({ code: 'custom', path: [key, index, 'containerPath'], message })
        }
        seen.add(containerPath)
      }
    }
  })
  .describe('What a container gets in addition to its devices, from any source.')

/** Validated value of the key `container`. */
export type ContainerConfig = z.output<typeof containerConfig>

/** The kubelet waits 30 s for PreStartContainer. */
const MAX_PRE_START_SECONDS = 25

/** The key `preStart` of a resource. */
export const preStartConfig = z
  .strictObject({
    command: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(50)
      .describe('Program and arguments, without a shell. {id}, {name} and {path} are those of the device.'),
    timeoutSeconds: z
      .number()
      .min(0.1)
      .max(MAX_PRE_START_SECONDS)
      .default(10)
      .describe('Deadline for all devices of the container, in seconds.'),
  })
  .describe(
    'Program that runs in the container of the plugin for each device, before each start of a container that holds it. The container does not start while it fails.',
  )

/** Validated value of the key `preStart`. */
export type PreStartConfig = z.output<typeof preStartConfig>
