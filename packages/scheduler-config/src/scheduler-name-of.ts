import type { Pod } from '@berth/types'

/** The API server's default for `spec.schedulerName`. */
export const DEFAULT_SCHEDULER = 'default-scheduler'

/** Returns the `schedulerName` of the pod. The API server fills the field in; manifests may lack it. */
export function schedulerNameOf({ spec }: Pod): string {
  return spec.schedulerName ?? DEFAULT_SCHEDULER
}
