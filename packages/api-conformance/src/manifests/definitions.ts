import type { Json, CaseSession } from '../runner/conformance-case.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Schema of a gadget, which uses most features of a schema. */
export const GADGET_SCHEMA: object = {
  type: 'object',
  description: 'A thing for exchanges.',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
        pairs: { type: 'integer', multipleOf: 2 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
        replicas: { type: 'integer', format: 'int32' },
        port: { 'x-kubernetes-int-or-string': true },
        address: { type: 'string', format: 'ipv4' },
        when: { type: 'string', format: 'date-time' },
        note: { type: 'string', nullable: true },
        isOn: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 3 },
        steps: { type: 'array', items: { type: 'string' }, minItems: 1 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 2 },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        either: {
          type: 'object',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        owner: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, phase: { type: 'string' }, selector: { type: 'string' } },
    },
  },
}

/** Two served versions of the gadget. The second is deprecated and has other fields. */
export const TWO_VERSIONS: readonly object[] = [
  { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: GADGET_SCHEMA } },
  {
    name: 'v2',
    served: true,
    storage: false,
    deprecated: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size: { type: 'integer' }, v2: { type: 'string', default: 'two' } } },
        },
      },
    },
  },
]

/** One version with all optional parts. */
const V1 = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: GADGET_SCHEMA },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
    { name: 'First Part', type: 'string', jsonPath: '.spec.parts[0].name' },
    { name: 'Tags', type: 'string', jsonPath: '.spec.tags' },
    { name: 'Count Of X', type: 'integer', jsonPath: '.spec.parts[?(@.name=="x")].count' },
    { name: 'On', type: 'boolean', jsonPath: '.spec.isOn' },
    { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
}

/** Returns a definition of gadgets in the case's own group. */
export function definition(
  { name }: Pick<CaseSession, 'name'>,
  versions: readonly object[] = [V1],
  spec: object = {},
  plural = 'gadgets',
): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${name}.example.com` },
    spec: {
      group: `${name}.example.com`,
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['gd'] },
      versions,
      ...spec,
    },
  }
}

/** Paths of a definition and its objects. */
export interface Defined {
  /** Path of the definition. */
  readonly path: string
  /** Path of its version v1. */
  readonly version: string
  /** Path of its gadgets in the case's namespace. */
  readonly gadgets: string
}

/** Posts a definition and waits until its objects are served. */
export async function createDefinition(
  session: CaseSession,
  versions?: readonly object[],
  spec?: object,
): Promise<Defined> {
  const path = `${DEFINITIONS}/gadgets.${session.name}.example.com`
  const version = `/apis/${session.name}.example.com/v1`
  await session.post(DEFINITIONS, definition(session, versions, spec), { isQuiet: true })
  await session.until(`${version}/gadgets`, ({ status }) => status === 200, { show: () => 'served' })
  return { path, version, gadgets: `${version}/namespaces/${session.namespace}/gadgets` }
}

/** Returns a gadget with this spec. */
export function gadget({ name }: Pick<CaseSession, 'name'>, spec: object = { size: 3 }, version = 'v1'): Json {
  return { apiVersion: `${name}.example.com/${version}`, kind: 'Gadget', metadata: { name }, spec }
}
