import type { Node, OwnerReference, Pod } from '@berth/types'

/** The pod and its surroundings to which a fix is applied. */
export interface FixTarget {
  readonly pod: Pod
  /** The workload that created the pod; undefined for a pod without one. */
  readonly workload: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'> | undefined
  /** The manifest from which the pod was read; undefined when the pod is in the cluster. */
  readonly file: string | undefined
  readonly nodeOf: (name: string) => Node | undefined
}

/** Instructions for applying a fix: shell commands, or a note when no command can do it. */
export interface FixRecipe {
  readonly commands: readonly string[]
  readonly note?: string
}
