import type { ResourceKind } from './resource-kind.ts'

const ROWS = [
  ['authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview'],
  ['authentication.k8s.io', 'tokenreviews', 'TokenReview'],
  ['authorization.k8s.io', 'localsubjectaccessreviews', 'LocalSubjectAccessReview'],
  ['authorization.k8s.io', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'],
  ['authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview'],
  ['authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview'],
] as const

/** Questions: they are answered when they are created, and never stored. Clients find them where they find kinds. */
export const reviewKinds: readonly ResourceKind[] = ROWS.map(([group, plural, kind]) => ({
  group,
  version: 'v1',
  plural,
  singular: kind.toLowerCase(),
  kind,
  namespaced: kind.startsWith('Local'),
  shortNames: [],
  categories: [],
  hasStatus: false,
  hasScale: false,
  hasGeneration: false,
  typeName: kind,
  storage: '',
  isAnswered: true,
}))
