import type { Workload } from '@berth/types'
import { placeOf } from './program.ts'

/** Annotation of Berth's DaemonSet with the names of its resources, separated by commas. */
export const RESOURCES_ANNOTATION = 'berth.dev/resources'

/**
 * Returns the resources that the DaemonSet of a device plugin declares; undefined when it declares none.
 *
 * @param program - As in {@link Program}: `DaemonSet namespace/name`.
 */
export function declaredResources(program: string, daemonSets: readonly Workload[]): readonly string[] | undefined {
  const daemonSet = daemonSets.find((one) => `DaemonSet ${placeOf(one)}` === program)
  return daemonSet?.metadata.annotations?.[RESOURCES_ANNOTATION]?.split(',')
}
