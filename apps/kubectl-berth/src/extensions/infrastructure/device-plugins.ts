import { resourceUsers } from '@berth/resources'
import type { Pod, Workload } from '@berth/types'
import { offeredResources } from '../../facts/offered-resources.ts'
import { healthOf, hostPathsOf, placeOf, type Program, programsOf, readinessText } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Annotation of Berth's DaemonSet with the names of its resources, separated by commas. */
const RESOURCES = 'berth.dev/resources'

/** Field manager of the kubelet, which writes what device plugins offer. */
const KUBELET = 'kubelet'

/** The programs that mount the kubelet's directory of device plugins, or register there in another way. */
export const devicePlugins = survey({
  kind: 'device-plugins',
  title: 'Device plugins',
  needs: ['pods', 'nodes', 'daemonSets', 'csiDrivers', 'resourceSlices'],
  find({ pods, nodes, daemonSets, csiDrivers, resourceSlices }, context) {
    const otherDrivers = new Set([
      ...csiDrivers.map(({ metadata }) => metadata.name ?? ''),
      ...resourceSlices.map(({ spec }) => spec.driver),
    ])
    const programs = programsOf(pods.filter((pod) => registrationOf(pod, otherDrivers) !== undefined))
    const offered = offeredResources(nodes).filter(
      ({ managers }) => managers.length === 0 || managers.includes(KUBELET),
    )
    return programs.map((program) => {
      const declared = declaredResources(program, daemonSets)
      const names = declared ?? resourcesOnItsNodes(program, offered)
      const users = names.flatMap((name) => resourceUsers(pods, name).map((user) => `pod ${user.name}`))
      const directory = program.pods.map((pod) => registrationOf(pod, otherDrivers)).find(Boolean) ?? ''
      return {
        name: program.name,
        ...usersOf(users, context, 'pods', 'nodes'),
        health: healthOf(program),
        evidence: [
          `${readinessText(program)}. They mount ${directory}.`,
          names.length === 0
            ? 'No extended resource on its nodes comes from the kubelet.'
            : declared === undefined
              ? `Its nodes alone offer, by the kubelet: ${names.join(', ')}.`
              : `It declares ${names.join(', ')} (annotation ${RESOURCES}).`,
        ],
      }
    })
  },
})

/**
 * Returns the directory in which a pod registers a device plugin; undefined for any other pod. Drivers of CSI and DRA use
 * the plugin watcher, too, and have a directory of their own beside it.
 */
function registrationOf(pod: Pod, otherDrivers: ReadonlySet<string>): string | undefined {
  const paths = hostPathsOf(pod)
  const classic = paths.find((path) => path.endsWith('/device-plugins'))
  if (classic !== undefined) return classic
  const isDriver =
    paths.some((path) => otherDrivers.has(path.slice(path.lastIndexOf('/') + 1))) ||
    pod.spec.containers.some(({ image = '' }) => image.includes('node-driver-registrar'))
  return isDriver ? undefined : paths.find((path) => path.includes('/plugins_registry'))
}

function declaredResources({ name }: Program, daemonSets: readonly Workload[]): readonly string[] | undefined {
  const daemonSet = daemonSets.find((one) => `DaemonSet ${placeOf(one)}` === name)
  return daemonSet?.metadata.annotations?.[RESOURCES]?.split(',')
}

/** The kubelet does not say which plugin offers a resource: those that only nodes of this program have are likely its own. */
function resourcesOnItsNodes(
  { pods }: Program,
  offered: readonly { readonly resourceName: string; readonly node: string }[],
): readonly string[] {
  const nodes = new Set(pods.map(({ spec }) => spec.nodeName))
  return [...Map.groupBy(offered, ({ resourceName }) => resourceName)]
    .filter(([, rows]) => rows.every(({ node }) => nodes.has(node)))
    .map(([name]) => name)
    .toSorted()
}
