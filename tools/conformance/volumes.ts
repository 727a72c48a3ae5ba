import { type ClusterState, createFramework, defaultPlugins } from '@berth/fit-engine'
import type { ClusterObjectKinds } from '@berth/types'
import { decideBothWays } from './decide-both-ways.ts'
import { FILTERS as FIT_FILTERS, type FitQuestion, stateOf } from './fit.ts'
import type { VectorKind } from './vector-kind.ts'
import { combinedStatuses, filtersAlone, fixedInput } from './scheduling-answer.ts'

const OBJECT_KINDS = [
  'persistentVolumes',
  'persistentVolumeClaims',
  'storageClasses',
  'csiNodes',
  'csiDrivers',
  'csiStorageCapacities',
  'volumeAttachments',
] as const
type ObjectKind = (typeof OBJECT_KINDS)[number]

/** The input of a `volumes` vector. */
export type VolumesQuestion = FitQuestion & { readonly [K in ObjectKind]?: readonly ClusterObjectKinds[K][] }

const FILTERS: ReadonlySet<string> = new Set([
  ...FIT_FILTERS,
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
])

function setAll<K extends ObjectKind>(state: ClusterState, kind: K, objects: readonly ClusterObjectKinds[K][]): void {
  for (const object of objects) state.objects.set(kind, object)
}

/** Adds the question's storage objects to the state. */
export function storeVolumes(state: ClusterState, question: VolumesQuestion): void {
  for (const kind of OBJECT_KINDS) setAll(state, kind, question[kind] ?? [])
}

function answer(input: unknown): unknown {
  const question = input as VolumesQuestion
  const { pod } = question
  const plugins = defaultPlugins().filter(({ plugin }) => FILTERS.has(plugin.name))
  const state = stateOf(question)
  storeVolumes(state, question)
  const decision = decideBothWays(createFramework({ plugins }), state, pod, { ...fixedInput, score: false })
  const alone = filtersAlone(plugins, state, pod)
  if (decision.error === undefined) return { ok: true, ...alone, ...combinedStatuses(decision) }
  const { plugin, message } = decision.error
  const stage = message.startsWith('running PreFilter plugin') ? 'PreFilter' : 'Filter'
  return { ok: true, ...alone, error: { stage, plugin } }
}

interface Answer {
  readonly filters?: Readonly<Record<string, Readonly<Record<string, { readonly code: string }>>>>
  readonly error?: { readonly stage: string; readonly plugin?: string }
}

/**
 * Compares only the code of an Error. When several plugins fail on several nodes, it is random which of them ends the
 * real scheduling attempt, so the plugin is not compared then.
 */
export function comparableVolumes(answer: unknown): unknown {
  const cut = JSON.parse(JSON.stringify(answer, withoutErrorReasons)) as Answer
  if (cut.error === undefined) return cut
  const statuses = Object.values(cut.filters ?? {}).flatMap((byPlugin) => Object.entries(byPlugin))
  const broken = new Set(statuses.flatMap(([plugin, { code }]) => (code === 'Error' ? plugin : [])))
  return broken.size > 1 ? { ...cut, error: { stage: cut.error.stage } } : cut
}

function withoutErrorReasons(_key: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'code' in value && value.code === 'Error') return { code: 'Error' }
  return value
}

/** The four volume filters, after the filters of `fit`. */
export const volumesKind: VectorKind = { answer, comparable: comparableVolumes }
