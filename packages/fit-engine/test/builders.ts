import type { Node, ObjectMeta, Pod, PodSpec, ResourceList } from '@berth/types'
import { createFramework, type DecideOptions, defaultPlugins, type Framework } from '../src/index.ts'

/** Time stands still and chance always says 0. */
export const input: DecideOptions = { nowMs: 0, random: () => 0 }

/** The default profile. */
export const framework: Framework = createFramework({ plugins: defaultPlugins() })

/** A node that offers the resources; plenty of the usual ones unless they are named. */
export function node(name: string, allocatable: ResourceList = {}, more: Partial<Node> = {}): Node {
  const usual = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' }
  const { metadata, ...rest } = more
  return { metadata: { name, ...metadata }, status: { allocatable: { ...usual, ...allocatable } }, ...rest }
}

/** A pod with one container; its uid is its name. */
export function pod(
  name: string,
  requests: ResourceList = {},
  spec: Partial<PodSpec> = {},
  metadata: ObjectMeta = {},
): Pod {
  return {
    metadata: { namespace: 'default', name, uid: name, ...metadata },
    spec: { containers: [{ name: 'c', resources: { requests } }], ...spec },
  }
}

/** A pod that is bound to the node. */
export function boundPod(
  name: string,
  nodeName: string,
  requests: ResourceList = {},
  spec: Partial<PodSpec> = {},
): Pod {
  return pod(name, requests, { nodeName, ...spec })
}
