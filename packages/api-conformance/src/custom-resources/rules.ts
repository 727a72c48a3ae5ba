import { independentCaseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { createDefinition, definition, gadget } from '../manifests/definitions.ts'

const shownSpec = ({ spec }: Json): unknown => spec

/** Returns a version whose spec has these rules, integers `a` and `b`, and a string `t`. */
const withRules = (...rules: readonly object[]): readonly object[] => {
  const integer = { type: 'integer' }
  const spec = {
    type: 'object',
    properties: {
      a: integer,
      b: integer,
      t: { type: 'string', maxLength: 100 },
      list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
      map: { type: 'object', maxProperties: 5, additionalProperties: integer },
    },
    'x-kubernetes-validations': rules,
  }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
}

/** Returns a case that creates a gadget with this spec, where the schema has the rule. */
const createsUnderRule =
  (rule: object, spec: object) =>
  async (session: CaseSession): Promise<void> => {
    const { gadgets } = await createDefinition(session, withRules(rule))
    await session.post(gadgets, gadget(session, spec), { show: shownSpec })
  }

/** Returns a case that posts a definition with an invalid rule. */
const definesInvalidRule =
  (rule: string) =>
  async ({ name, post }: CaseSession): Promise<void> => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await post(path, definition({ name }, withRules({ rule })))
  }

/** CEL rules of custom resources: `x-kubernetes-validations`. */
export const rules: CaseGroup = independentCaseGroup('rule', {
  holds: createsUnderRule({ rule: 'self.a <= self.b' }, { a: 1, b: 2 }),
  fails: createsUnderRule({ rule: 'self.a <= self.b' }, { a: 3, b: 2 }),
  'with-message': createsUnderRule({ rule: 'self.a <= self.b', message: 'a is at most b' }, { a: 3, b: 2 }),
  'with-message-expression': createsUnderRule(
    { rule: 'self.a <= self.b', messageExpression: "'a over b'" },
    { a: 3, b: 2 },
  ),
  'with-reason-and-path': createsUnderRule(
    { rule: 'self.a <= self.b', reason: 'FieldValueForbidden', fieldPath: '.a', message: 'no' },
    { a: 3, b: 2 },
  ),
  'without-value': createsUnderRule({ rule: 'self.a <= self.b' }, { a: 3 }),
  'with-has': createsUnderRule({ rule: '!has(self.a) || self.a > 5' }, { b: 3 }),
  'over-a-list': createsUnderRule({ rule: "self.list.all(x, x.startsWith('a'))" }, { list: ['ab', 'b'] }),
  'over-a-map': createsUnderRule({ rule: 'self.map.all(k, self.map[k] > 0)' }, { map: { a: 1, b: 0 } }),
  'with-match': createsUnderRule({ rule: "self.t.matches('^[a-z]+$')" }, { t: 'A' }),
  'after-a-mistake': createsUnderRule({ rule: 'self.a <= self.b' }, { a: 'x', b: 2 }),
  'about-a-change': async (session) => {
    const { gadgets } = await createDefinition(
      session,
      withRules({ rule: 'self.a == oldSelf.a', message: 'a is immutable' }),
    )
    await session.post(gadgets, gadget(session, { a: 1 }), { show: shownSpec })
    await session.patch('merge', `${gadgets}/${session.name}`, { spec: { b: 1 } }, { show: shownSpec })
    await session.patch('merge', `${gadgets}/${session.name}`, { spec: { a: 2 } }, { show: shownSpec })
  },
  'that-is-no-expression': (session) =>
    session.post(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `gadgets.${session.name}.example.com` },
        spec: {
          group: `${session.name}.example.com`,
          scope: 'Namespaced',
          names: { plural: 'gadgets', kind: 'Gadget' },
          versions: withRules({ rule: 'self.a <=' }),
        },
      },
      { show: ({ status }) => status },
    ),
  'about-an-unknown-field': definesInvalidRule('self.nope == 1'),
  'about-an-unknown-field-below': definesInvalidRule('self.list.all(x, x == self.other)'),
  'of-another-type': definesInvalidRule("self.a == 'x'"),
  'that-is-no-condition': definesInvalidRule('self.a'),
})
