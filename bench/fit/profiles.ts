import { createFramework, defaultPlugins, type Framework } from '@berth/fit-engine'

/** The six filters and five scores of `basicPlugins` in the Go benchmark. */
const BASIC: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
])

function profileWith(isIn: (name: string) => boolean): Framework {
  return createFramework({ plugins: defaultPlugins().filter(({ plugin }) => isIn(plugin.name)) })
}

/** Only NodeResourcesFit, with LeastAllocated. */
export const fitProfile: Framework = profileWith((name) => name === 'NodeResourcesFit')

/** Six filters and five scores, as in the Go benchmark. */
export const basicProfile: Framework = profileWith((name) => BASIC.has(name))

const TOPOLOGY: ReadonlySet<string> = new Set([...BASIC, 'PodTopologySpread', 'InterPodAffinity'])

/** The eight filters and seven scores of `topologyPlugins` in the Go benchmark. */
export const topologyProfile: Framework = profileWith((name) => TOPOLOGY.has(name))

/** Berth's default profile. */
export const defaultProfile: Framework = profileWith(() => true)

/** Time and randomness for decisions, both constant. */
export const input = { nowMs: 0, random: (): number => 0.5 }
