import { envName } from '@berth/device-discovery'

/** The result of {@link checkAllocation}. */
export interface AllocationCheck {
  readonly isOk: boolean
  readonly text: string
}

/**
 * Checks that the device plugin's Allocate response reached a container: the device ids are in the environment, and the
 * device paths exist. Runs inside a container that requested the resource.
 *
 * @param container.exists - Returns whether a path exists in the container.
 */
export function checkAllocation(
  resourceName: string,
  container: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly exists: (path: string) => boolean
  },
): AllocationCheck {
  const suffix = envName(resourceName)
  const ids = container.env[`BERTH_DEVICES_${suffix}`] ?? ''
  if (ids === '') {
    return { isOk: false, text: `${resourceName}: the container has no device: BERTH_DEVICES_${suffix} is not set` }
  }
  const paths = (container.env[`BERTH_PATHS_${suffix}`] ?? '').split(',').filter((path) => path !== '')
  const missing = paths.filter((path) => !container.exists(path))
  if (missing.length > 0) {
    return { isOk: false, text: `${resourceName}: ${missing.join(', ')} does not exist in the container` }
  }
  return { isOk: true, text: [`${resourceName}: got`, ids, ...paths].join(' ') }
}
