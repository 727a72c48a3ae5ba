import type { CsiNode, Node, NodeSelector, PersistentVolume } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { nodeSelectorMatcher } from '../../selectors/node-selector.ts'
import { type InTreePlugin, inTreePluginOf, persistentHandle } from '../csi-migration/in-tree-plugins.ts'
import { migratedAffinity } from '../csi-migration/migrated-affinity.ts'

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins'

/** Whether a node can reach a volume, or why that cannot be determined. */
export type Reach = 'reachable' | 'out-of-reach' | { readonly kind: 'error'; readonly reason: string }

type NodeTest = (node: Node) => boolean

/** Matches labels only: a volume's terms on node fields match every node. */
function affinityTest(required: NodeSelector | null | undefined): NodeTest {
  if (required == null) return () => true
  const matches = nodeSelectorMatcher(required)
  return ({ metadata: { labels } }) => matches({ metadata: labels === undefined ? {} : { labels } })
}

/**
 * Returns a test of the volume's own node affinity.
 *
 * @see k8s.io/component-helpers storage/volume/helpers.go CheckNodeAffinity (v1.36)
 */
export function volumeAffinityTest({ spec }: PersistentVolume): NodeTest {
  return affinityTest(spec.nodeAffinity?.required)
}

/** Returns the names of the in-tree plugins that CSI drivers replace on the node, separated by commas. */
export function migratedPluginsOf({ metadata }: CsiNode): string {
  return labelOf(metadata.annotations ?? {}, MIGRATED_PLUGINS) ?? ''
}

function isMigratedOn({ name }: InTreePlugin, csiNode: CsiNode | undefined): boolean {
  return csiNode !== undefined && migratedPluginsOf(csiNode).split(',').includes(name)
}

/**
 * Returns the labels that a node must have to reach a bound volume: those of the CSI driver when the volume's in-tree
 * plugin is migrated on the node. Undefined when every node reaches it.
 */
export function reachSelector(volume: PersistentVolume, csiNode: CsiNode | undefined): NodeSelector | undefined {
  const plugin = inTreePluginOf(volume.spec)
  const isTranslated = plugin?.topologyKey !== undefined && isMigratedOn(plugin, csiNode)
  return isTranslated ? migratedAffinity(volume, plugin.topologyKey) : (volume.spec.nodeAffinity?.required ?? undefined)
}

function migratedTest(plugin: InTreePlugin, volume: PersistentVolume): NodeTest | string {
  const handle = persistentHandle(plugin, volume)
  if (handle?.kind === 'problem') return handle.problem
  const { topologyKey } = plugin
  return topologyKey === undefined ? volumeAffinityTest(volume) : affinityTest(migratedAffinity(volume, topologyKey))
}

/**
 * Returns a check whether nodes can reach a bound volume. For a node whose CSINode lists the volume's in-tree plugin as
 * migrated, it uses the topology labels of the CSI driver.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go tryTranslatePVToCSI (v1.36)
 */
export function createReachCheck(volume: PersistentVolume): (node: Node, csiNode: CsiNode | undefined) => Reach {
  const own = volumeAffinityTest(volume)
  const plugin = inTreePluginOf(volume.spec)
  const migrated = plugin?.handleOf && migratedTest(plugin, volume)
  return (node, csiNode) => {
    const isMigrated = migrated !== undefined && plugin !== undefined && isMigratedOn(plugin, csiNode)
    const test = isMigrated ? migrated : own
    if (typeof test === 'string') return { kind: 'error', reason: `could not translate pv: ${test}` }
    return test(node) ? 'reachable' : 'out-of-reach'
  }
}
