import { offeredResources } from '../../facts/offered-resources.ts'
import { resourceHolders } from '../../facts/resource-holders.ts'
import { healthOf, type Program, readinessText } from '../model/program.ts'
import { declaredResources, RESOURCES_ANNOTATION } from '../model/declared-resources.ts'
import { devicePluginPrograms } from '../model/device-plugin-programs.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Field manager of the kubelet, which writes what device plugins offer. */
const KUBELET = 'kubelet'

/** The programs that mount the kubelet's directory of device plugins, or register there in another way. */
export const devicePlugins = survey({
  kind: 'device-plugins',
  title: 'Device plugins',
  needs: ['pods', 'nodes', 'daemonSets', 'csiDrivers', 'resourceSlices'],
  find({ pods, nodes, daemonSets, csiDrivers, resourceSlices }, context) {
    const holders = resourceHolders(pods)
    const offered = offeredResources(nodes).filter(
      ({ managers }) => managers.length === 0 || managers.includes(KUBELET),
    )
    return devicePluginPrograms(pods, csiDrivers, resourceSlices).map((program) => {
      const declared = declaredResources(program.name, daemonSets)
      const names = declared ?? resourcesOnItsNodes(program, offered)
      const users = names.flatMap((name) => (holders.get(name) ?? []).map((user) => `pod ${user}`))
      return {
        name: program.name,
        ...usersOf(users, context, 'pods', 'nodes'),
        health: healthOf(program),
        evidence: [
          `${readinessText(program)}. They mount ${program.directory}.`,
          names.length === 0
            ? context.unread.has('nodes') || context.unread.has('pods')
              ? 'What it offers is unknown.'
              : 'No extended resource on its nodes comes from the kubelet.'
            : declared === undefined
              ? `Its nodes alone offer, by the kubelet: ${names.join(', ')}.`
              : `It declares ${names.join(', ')} (annotation ${RESOURCES_ANNOTATION}).`,
        ],
      }
    })
  },
})

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
