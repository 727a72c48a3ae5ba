import type { Page } from '@berth/process/health'
import { printable } from '../printable.ts'
import type { DeviceUsage } from '../usage/device-usage.ts'
import type { DescribedDevice } from './describe-devices.ts'

/** Maximum number of devices of a resource on the page. */
const MAX_DEVICES = 500

/** A resource as the page shows it. */
interface ShownResource {
  readonly resourceName: string
  devices(): readonly DescribedDevice[]
  problem(): string | undefined
}

/**
 * Creates the page `/debug/devices`: the devices of each resource with health, cause and reason. `?resource=NAME` selects
 * one resource, `?health=Unhealthy` the devices with that health.
 *
 * @param holders - Returns the containers that hold a device.
 */
export function devicesPage(
  resources: () => readonly ShownResource[],
  holders: DeviceUsage['holders'] = () => [],
): Page {
  return {
    contentType: 'application/json',
    text(query) {
      const [name, health] = [query.get('resource'), query.get('health')]
      const shown = resources().filter(({ resourceName }) => name === null || resourceName === name)
      if (name !== null && shown.length === 0) return undefined
      const described = shown.map((resource) => {
        const devices = resource.devices().filter((device) => health === null || device.health === health)
        const problem = resource.problem()
        return {
          name: resource.resourceName,
          ...(problem !== undefined && { problem }),
          total: devices.length,
          devices: devices
            .slice(0, MAX_DEVICES)
            .map(({ id, health: state, cause, reason, isRemoved = false, paths = [], numaNodes = [] }) => {
              const heldBy = holders(resource.resourceName, id)
              return {
                id,
                health: state,
                ...(cause !== undefined && { cause }),
                ...(reason !== undefined && { reason }),
                ...(isRemoved && { isRemoved }),
                paths: [...new Set(paths)],
                numaNodes,
                ...(heldBy.length > 0 && { heldBy }),
              }
            }),
        }
      })
      return printable(`${JSON.stringify({ resources: described }, undefined, 2)}\n`)
    },
  }
}
