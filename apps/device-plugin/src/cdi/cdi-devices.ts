import type { Allocation } from '@berth/types'
import { z } from 'zod'
import { CDI_DEVICE_NAME } from './cdi-names.ts'

const path = z.string().startsWith('/').max(4096)

/**
 * The devices of one class, in the shape of the CDI specification. The schema is strict: only device nodes, mounts and
 * environment variables. A hook would run as root on the node.
 */
export const cdiDevices = z
  .array(
    z.strictObject({
      name: z.string().regex(CDI_DEVICE_NAME),
      containerEdits: z.strictObject({
        deviceNodes: z
          .array(z.strictObject({ path, hostPath: path, permissions: z.string().regex(/^[rwm]{1,3}$/) }))
          .optional(),
        mounts: z
          .array(
            z.strictObject({
              hostPath: path,
              containerPath: path,
              options: z.array(z.enum(['rbind', 'rprivate', 'ro', 'rw'])),
            }),
          )
          .optional(),
        env: z.array(z.string().regex(/^[A-Za-z_]\w*=/)).optional(),
      }),
    }),
  )
  .max(30_000)

/** A device of a CDI class. */
export type CdiDevice = z.output<typeof cdiDevices>[number]

/**
 * Describes what one device adds to a container. The runtime looks at the host path of a device node itself and does not
 * follow links, so `resolve` must.
 *
 * @returns Undefined if the device has neither a device node nor a mount: CDI does not allow an empty device.
 */
export async function toCdiDevice(
  name: string,
  { deviceNodes = [], mounts = [] }: Allocation,
  resolve: (hostPath: string) => Promise<string>,
): Promise<CdiDevice | undefined> {
  if (deviceNodes.length === 0 && mounts.length === 0) return undefined
  const nodes = deviceNodes.map(async ({ hostPath, containerPath, permissions }) => ({
    path: containerPath,
    hostPath: await resolve(hostPath),
    permissions,
  }))
  return {
    name,
    containerEdits: {
      ...(deviceNodes.length > 0 && { deviceNodes: await Promise.all(nodes) }),
      ...(mounts.length > 0 && {
        mounts: mounts.map(({ hostPath, containerPath, readOnly }) => ({
          hostPath,
          containerPath,
          options: ['rbind', 'rprivate', readOnly ? 'ro' : 'rw'] as const,
        })),
      }),
    },
  }
}
