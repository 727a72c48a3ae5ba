import type { ContainerAllocation } from './pod-devices.ts'

/** Options that device plugins add to a container. */
export interface ContainerRunOptions {
  readonly env: ReadonlyMap<string, string>
  readonly annotations: ReadonlyMap<string, string>
  readonly devices: readonly {
    readonly containerPath: string
    readonly hostPath: string
    readonly permissions: string
  }[]
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string; readonly readOnly: boolean }[]
  readonly cdiDevices: readonly string[]
}

function firstByPath<T extends { readonly containerPath: string }>(entries: readonly T[]): readonly T[] {
  const byPath = new Map<string, T>()
  for (const entry of entries) if (!byPath.has(entry.containerPath)) byPath.set(entry.containerPath, entry)
  return [...byPath.values()]
}

/**
 * Merges the plugins' responses for one container. If several responses set the same environment variable, annotation
 * or container path, the first one wins.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/pod_devices.go (v1.36)
 */
export function containerRunOptions(allocations: readonly ContainerAllocation[]): ContainerRunOptions {
  const responses = allocations.map(({ response }) => response)
  const first = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> =>
    new Map(pairs.toReversed())
  return {
    env: first(responses.flatMap(({ envs }) => Object.entries(envs))),
    annotations: first(responses.flatMap(({ annotations }) => Object.entries(annotations))),
    devices: firstByPath(responses.flatMap(({ devices }) => devices)),
    mounts: firstByPath(responses.flatMap(({ mounts }) => mounts)),
    cdiDevices: [...new Set(responses.flatMap(({ cdiDevices }) => cdiDevices.map(({ name }) => name)))],
  }
}
