import type { SampleNode } from '@berth/plugin-api/testing'
import { isBound, podRequestList, resourceAmounts } from '@berth/resources'
import type { KubernetesObject, Node, Pod } from '@berth/types'
import { firstLine } from '@berth/text/first-line'
import { parseAllDocuments } from 'yaml'
import { CommandError } from '../errors.ts'

/** Nodes and pods for the test kits. */
export interface ManifestCluster {
  readonly nodes: readonly Node[]
  /** The same nodes with their pods, in the form of the scheduling kit. */
  readonly samples: readonly SampleNode[]
  /** Pods without a node. */
  readonly pods: readonly Pod[]
}

/**
 * Reads the nodes and pods of a manifest, including those inside lists. Ignores other objects.
 *
 * @throws CommandError BERTH_KUBECTL_FILE when the text is not YAML or has fewer than two nodes.
 */
export function clusterFromManifest(text: string, file: string): ManifestCluster {
  const objects = parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw refusal(file, firstLine(error.message))
    const object = document.toJS({ maxAliasCount: 100 }) as (KubernetesObject & { readonly items?: unknown }) | null
    return Array.isArray(object?.items)
      ? (object.items as readonly KubernetesObject[])
      : object === null
        ? []
        : [object]
  })
  const nodes = objects.filter((object): object is Node => object.kind === 'Node')
  const pods = objects.filter((object): object is Pod => object.kind === 'Pod')
  if (nodes.length < 2) throw refusal(file, `it holds ${nodes.length} nodes`)
  return {
    nodes,
    pods: pods.filter((pod) => !isBound(pod)),
    samples: nodes.map((node) => sampleOf(node, pods)),
  }
}

function sampleOf({ metadata, status }: Node, pods: readonly Pod[]): SampleNode {
  const name = metadata.name ?? ''
  const own = pods.filter(({ spec }) => spec.nodeName === name)
  const requested: Record<string, number> = {}
  for (const pod of own) {
    for (const [resource, quantity] of podRequestList(pod)) {
      const units = Number(resource === 'cpu' ? quantity.milliValue() : quantity.value())
      requested[resource] = (requested[resource] ?? 0) + units
    }
  }
  const allocatable = [...resourceAmounts(status?.allocatable)].map(([key, units]) => [key, Number(units)] as const)
  return {
    name,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    allocatable: Object.fromEntries(allocatable),
    requested,
    pods: own,
  }
}

function refusal(file: string, reason: string): CommandError {
  return new CommandError(`read nodes and pods from ${file}: ${reason}`, {
    code: 'BERTH_KUBECTL_FILE',
    hint: 'Give at least two nodes, for example from: kubectl get nodes,pods -A -o yaml',
  })
}
