import { z } from 'zod'
import type { HeldDevice } from './held-devices.ts'

/** `/debug/devices` of Berth's device plugin. */
const pageSchema = z.object({
  resources: z.array(
    z.object({
      name: z.string(),
      devices: z.array(
        z.object({
          id: z.string(),
          health: z.string(),
          reason: z.string().optional(),
          heldBy: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
})

/**
 * Returns the devices of a page that a container holds or that are not healthy, by resource; undefined when it is not such
 * a page.
 */
export function devicesOfPage(page: unknown, node: string): ReadonlyMap<string, readonly HeldDevice[]> | undefined {
  const parsed = pageSchema.safeParse(page)
  if (!parsed.success) return undefined
  return new Map(
    parsed.data.resources.map(({ name, devices }) => [
      name,
      devices.flatMap(({ id, health, reason, heldBy = [] }): readonly HeldDevice[] => {
        const device = { node, id, health, ...(reason !== undefined && { reason }) }
        if (heldBy.length === 0) return health === 'Healthy' ? [] : [device]
        return heldBy.map((holder) => {
          const [namespace = '', pod = '', container = ''] = holder.split('/', 3)
          return { ...device, namespace, pod, container }
        })
      }),
    ]),
  )
}
