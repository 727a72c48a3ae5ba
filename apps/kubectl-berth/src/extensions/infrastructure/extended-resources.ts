import type { DeviceClass } from '@berth/types'
import { offeredResources, type OfferedResource } from '../../facts/offered-resources.ts'
import { resourceHolders } from '../../facts/resource-holders.ts'
import type { ExtensionHealth } from '../model/extension.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The extended resources of the nodes, with the program that writes them. */
export const extendedResources = survey({
  kind: 'extended-resources',
  title: 'Extended resources',
  needs: ['nodes', 'pods', 'deviceClasses'],
  find({ nodes, pods, deviceClasses }, context) {
    const holders = resourceHolders(pods)
    const byName = Map.groupBy(offeredResources(nodes), ({ resourceName }) => resourceName)
    const classesOf = Map.groupBy(deviceClasses, ({ spec }) => spec?.extendedResourceName ?? '')
    const ofClasses = [...classesOf.keys()].filter((name) => name !== '')
    return [...new Set([...byName.keys(), ...ofClasses])].map((name) => {
      const rows = byName.get(name) ?? []
      const classes = classesOf.get(name) ?? []
      const broken = rows.filter(({ capacity, allocatable }) => allocatable < capacity)
      const empty = rows.filter(({ capacity }) => capacity === 0n)
      return {
        name,
        ...usersOf(
          (holders.get(name) ?? []).map((user) => `pod ${user}`),
          context,
          'pods',
        ),
        health: healthOfRows(rows, broken.length > 0 || empty.length === rows.length),
        evidence: [
          ...ownersOf(rows, classes),
          ...broken.map(
            ({ node, capacity, allocatable }) =>
              `Node ${node}: ${allocatable} of ${capacity} units are allocatable, the others are unhealthy.`,
          ),
          ...(empty.length > 0 ? [`${empty.length} of ${rows.length} nodes that list it have 0 units.`] : []),
        ],
      }
    })
  },
})

/** Without a node that lists it, only its DRA driver could say whether it works. */
function healthOfRows(rows: readonly OfferedResource[], hasProblem: boolean): ExtensionHealth {
  if (rows.length === 0) return 'unknown'
  return hasProblem ? 'unhealthy' : 'healthy'
}

/** Returns who writes the amounts, with the number of nodes. The managed fields of the nodes name the writer. */
function ownersOf(rows: readonly OfferedResource[], classes: readonly DeviceClass[]): readonly string[] {
  const byOwner = Map.groupBy(rows, ({ managers }) => managers.map(ownerOf).toSorted().join(' and '))
  return [
    ...[...byOwner].map(([owner, own]) => {
      const units = own.reduce((sum, { capacity }) => sum + capacity, 0n)
      const nodes = own.length === 1 ? `node ${own[0]?.node ?? ''}` : `${own.length} nodes`
      return `${units} units on ${nodes}: ${owner === '' ? 'the API server does not name who wrote them' : `written by ${owner}`}.`
    }),
    ...classes.map(({ metadata }) => `DeviceClass ${metadata.name ?? ''} backs it, so a DRA driver allocates it.`),
  ]
}

function ownerOf(manager: string): string {
  if (manager === 'kubelet') return 'the kubelet, for a device plugin'
  if (manager === ADVERTISER) return "Berth's advertiser"
  return `the field manager ${manager}`
}

/** Field manager of the advertiser. */
const ADVERTISER = 'berth-advertiser'
