import type { LabelSelector, Namespace, Pod, PodAffinity, PodAffinityTerm } from '@berth/types'
import type { Labels } from './label-requirement.ts'
import { type LabelMatcher, labelsMatcher, parseLabelMatcher } from './label-matcher.ts'

/** A term of pod (anti-)affinity, ready to be asked. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  readonly namespaceMatcher: LabelMatcher
  readonly matcher: LabelMatcher
  readonly topologyKey: string
  /** Of preferred terms; 0 for required ones. */
  readonly weight: number
}

/** The four lists of a pod. A list with a term that is not valid is empty as a whole. */
export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly AffinityTerm[]
  readonly preferredAntiAffinity: readonly AffinityTerm[]
  /** Why lists are not valid; undefined when all are. */
  readonly problem: string | undefined
}

interface RawTerm extends PodAffinityTerm {
  readonly weight?: number
}

const noLabels: Labels = {}
const noTerms: readonly AffinityTerm[] = []

function requiredTerms(affinity: PodAffinity | null | undefined): readonly RawTerm[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

function preferredTerms(affinity: PodAffinity | null | undefined): readonly RawTerm[] {
  const preferences = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return preferences.map(({ weight, podAffinityTerm }) => ({ ...podAffinityTerm, weight }))
}

class TermReader {
  readonly problems: string[] = []
  readonly #namespace: string

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  list(name: string, raw: readonly RawTerm[]): readonly AffinityTerm[] {
    if (raw.length === 0) return noTerms
    const problemsBefore = this.problems.length
    const terms = raw.map((term) => this.#term(name, term))
    return this.problems.length > problemsBefore ? noTerms : terms
  }

  #term(name: string, { labelSelector, namespaceSelector, namespaces, topologyKey, weight }: RawTerm): AffinityTerm {
    const named = namespaces ?? []
    const isOwnOnly = named.length === 0 && namespaceSelector == null
    return {
      namespaces: new Set(isOwnOnly ? [this.#namespace] : named),
      namespaceMatcher: this.#matcher(name, namespaceSelector),
      matcher: this.#matcher(name, labelSelector),
      topologyKey,
      weight: weight ?? 0,
    }
  }

  #matcher(name: string, selector: LabelSelector | null | undefined): LabelMatcher {
    const parsed = parseLabelMatcher(selector)
    if (parsed.kind === 'valid') return parsed.matcher
    this.problems.push(`${name}: ${parsed.problem}`)
    return labelsMatcher(noLabels)
  }
}

/**
 * Makes the terms of a pod ready to be asked. matchLabelKeys and mismatchLabelKeys are not read: the API server
 * merges them into the selectors.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/types.go PodInfo.Update (v1.36)
 */
export function parseAffinityTerms({ metadata, spec: { affinity } }: Pod): AffinityTerms {
  const reader = new TermReader(metadata.namespace ?? '')
  const terms = {
    requiredAffinity: reader.list('requiredAffinityTerms', requiredTerms(affinity?.podAffinity)),
    requiredAntiAffinity: reader.list('requiredAntiAffinityTerms', requiredTerms(affinity?.podAntiAffinity)),
    preferredAffinity: reader.list('preferredAffinityTerms', preferredTerms(affinity?.podAffinity)),
    preferredAntiAffinity: reader.list('preferredAntiAffinityTerms', preferredTerms(affinity?.podAntiAffinity)),
  }
  return { ...terms, problem: reader.problems.length === 0 ? undefined : reader.problems.join('; ') }
}

/** Whether the term selects a pod with these labels in a namespace with these labels. */
export function termSelects(term: AffinityTerm, namespace: string, labels: Labels, namespaceLabels: Labels): boolean {
  const isInNamespace = term.namespaces.has(namespace) || term.namespaceMatcher.matches(namespaceLabels)
  return isInNamespace && term.matcher.matches(labels)
}

/**
 * Adds the namespaces that the term's namespaceSelector selects to those that it names. Upstream then still asks the
 * selector about no labels at all, so that one of NotIn or DoesNotExist selects every namespace.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (v1.36)
 */
export function withSelectedNamespaces(term: AffinityTerm, namespaces: () => readonly Namespace[]): AffinityTerm {
  if (term.namespaceMatcher.kind !== 'some') return term
  const selected = namespaces().filter(({ metadata }) => term.namespaceMatcher.matches(metadata.labels ?? noLabels))
  return { ...term, namespaces: new Set([...term.namespaces, ...selected.map(({ metadata }) => metadata.name ?? '')]) }
}
