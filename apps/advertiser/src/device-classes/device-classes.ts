import { ApiError, isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { DeviceClass, Logger } from '@berth/types'

/** The extended resource names that DeviceClasses have, so that a DRA driver serves them. */
export interface DeviceClasses {
  /** Returns the name of the DeviceClass that has this extended resource name. */
  readonly classOf: (resourceName: string) => string | undefined
  /**
   * Reads the DeviceClasses again. After an error response, which is logged once, the names of the last read stay.
   *
   * @returns Whether a name belongs to another DeviceClass than before.
   * @throws TransportError if there was no response.
   */
  refresh(signal: AbortSignal): Promise<boolean>
}

/** Creates an empty list of DeviceClasses. A server that does not serve the resource has none. */
export function createDeviceClasses({
  client,
  log,
}: {
  readonly client: Pick<ApiClient, 'list'>
  readonly log: Logger
}): DeviceClasses {
  let classes: ReadonlyMap<string, string> = new Map()
  let lastFailure: string | undefined
  return {
    classOf: (resourceName) => classes.get(resourceName),
    async refresh(signal) {
      const before = classes
      try {
        classes = namesOf((await client.list<DeviceClass>(resourceRefs.deviceClasses, { signal })).items)
        lastFailure = undefined
      } catch (err) {
        if (!(err instanceof ApiError)) throw err
        if (isApiStatus(err, 404)) classes = new Map()
        else {
          const failure = String(err)
          if (failure !== lastFailure) log.warn({ err }, 'Could not check which names belong to DeviceClasses')
          lastFailure = failure
        }
      }
      return (
        before.size !== classes.size || [...classes].some(([name, deviceClass]) => before.get(name) !== deviceClass)
      )
    },
  }
}

function namesOf(items: readonly DeviceClass[]): ReadonlyMap<string, string> {
  const entries = items.flatMap(({ metadata, spec }): [string, string][] =>
    spec?.extendedResourceName === undefined ? [] : [[spec.extendedResourceName, metadata.name ?? '']],
  )
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
