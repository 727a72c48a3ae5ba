import type { LabelSelector, Namespace, Pod, PodAffinity, PodAffinityTerm } from '@berth/types'
import type { Labels } from './label-requirement.ts'
import { type LabelMatcher, labelsMatcher, parseLabelMatcher } from './label-matcher.ts'

/** A parsed term of pod affinity or anti-affinity. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  readonly namespaceMatcher: LabelMatcher
  readonly matcher: LabelMatcher
  readonly topologyKey: string
  /** The weight of a preferred term; 0 for a required one. */
  readonly weight: number
}

/** The pod affinity and anti-affinity terms of one pod. A list with an invalid term is empty as a whole. */
export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly AffinityTerm[]
  readonly preferredAntiAffinity: readonly AffinityTerm[]
  /** The reason why lists are not valid, or undefined when all are valid. */
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

/** Parses the term lists of one pod and collects the problems. */
class TermParser {
  readonly problems: string[] = []
  readonly #namespace: string

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  parseList(name: string, raw: readonly RawTerm[]): readonly AffinityTerm[] {
    if (raw.length === 0) return noTerms
    const problemsBefore = this.problems.length
    const terms = raw.map((term) => this.#parseTerm(name, term))
    return this.problems.length > problemsBefore ? noTerms : terms
  }

  #parseTerm(
    name: string,
    { labelSelector, namespaceSelector, namespaces, topologyKey, weight }: RawTerm,
  ): AffinityTerm {
    const explicitNamespaces = namespaces ?? []
    const isOwnOnly = explicitNamespaces.length === 0 && namespaceSelector == null
    return {
      namespaces: new Set(isOwnOnly ? [this.#namespace] : explicitNamespaces),
      namespaceMatcher: this.#parseMatcher(name, namespaceSelector),
      matcher: this.#parseMatcher(name, labelSelector),
      topologyKey,
      weight: weight ?? 0,
    }
  }

  #parseMatcher(name: string, selector: LabelSelector | null | undefined): LabelMatcher {
    const parsed = parseLabelMatcher(selector)
    if (parsed.kind === 'valid') return parsed.matcher
    this.problems.push(`${name}: ${parsed.problem}`)
    return labelsMatcher(noLabels)
  }
}

/**
 * Parses the pod affinity and anti-affinity terms of a pod. matchLabelKeys and mismatchLabelKeys are not read, because
 * the API server merges them into the selectors.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/types.go PodInfo.Update (v1.36)
 */
export function parseAffinityTerms({ metadata, spec: { affinity } }: Pod): AffinityTerms {
  const parser = new TermParser(metadata.namespace ?? '')
  const terms = {
    requiredAffinity: parser.parseList('requiredAffinityTerms', requiredTerms(affinity?.podAffinity)),
    requiredAntiAffinity: parser.parseList('requiredAntiAffinityTerms', requiredTerms(affinity?.podAntiAffinity)),
    preferredAffinity: parser.parseList('preferredAffinityTerms', preferredTerms(affinity?.podAffinity)),
    preferredAntiAffinity: parser.parseList('preferredAntiAffinityTerms', preferredTerms(affinity?.podAntiAffinity)),
  }
  return { ...terms, problem: parser.problems.length === 0 ? undefined : parser.problems.join('; ') }
}

/** Returns whether the term selects a pod with these labels in a namespace with these labels. */
export function termSelects(term: AffinityTerm, namespace: string, labels: Labels, namespaceLabels: Labels): boolean {
  const isInNamespace = term.namespaces.has(namespace) || term.namespaceMatcher.matches(namespaceLabels)
  return isInNamespace && term.matcher.matches(labels)
}

/**
 * Adds the namespaces that the term's namespaceSelector selects to the term's namespaces. Like upstream, it keeps the
 * selector, which is later matched against no labels at all: a selector with NotIn or DoesNotExist then selects every
 * namespace.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (v1.36)
 */
export function withSelectedNamespaces(term: AffinityTerm, namespaces: () => readonly Namespace[]): AffinityTerm {
  if (term.namespaceMatcher.kind !== 'some') return term
  const selected = namespaces().filter(({ metadata }) => term.namespaceMatcher.matches(metadata.labels ?? noLabels))
  return { ...term, namespaces: new Set([...term.namespaces, ...selected.map(({ metadata }) => metadata.name ?? '')]) }
}
