import { createFramework, defaultPlugins, type Framework } from '@berth/fit-engine'

/** Six filters and five scores: what `basicPlugins` of the oracle's Go benchmark runs. */
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

function only(isIn: (name: string) => boolean): Framework {
  return createFramework({ plugins: defaultPlugins().filter(({ plugin }) => isIn(plugin.name)) })
}

/** NodeResourcesFit with LeastAllocated, nothing else. */
export const fitOnly: Framework = only((name) => name === 'NodeResourcesFit')

/** The plugins of the Go benchmark. */
export const sixAndFive: Framework = only((name) => BASIC.has(name))

const TOPOLOGY: ReadonlySet<string> = new Set([...BASIC, 'PodTopologySpread', 'InterPodAffinity'])

/** Eight filters and seven scores: what `topologyPlugins` of the oracle's Go benchmark runs. */
export const eightAndSeven: Framework = only((name) => TOPOLOGY.has(name))

/** Everything that Berth's default profile has. */
export const wholeProfile: Framework = only(() => true)

/** What the benches let decisions know of the world. */
export const input = { nowMs: 0, random: (): number => 0.5 }
