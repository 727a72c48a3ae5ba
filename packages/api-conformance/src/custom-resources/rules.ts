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

const ruled =
  (rule: object, spec: object) =>
  async (session: CaseSession): Promise<void> => {
    const { gadgets } = await createDefinition(session, withRules(rule))
    await session.post(gadgets, gadget(session, spec), { show: shownSpec })
  }

/** Posts a definition with an invalid rule. */
const badRule =
  (rule: string) =>
  async ({ name, post }: CaseSession): Promise<void> => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await post(path, definition({ name }, withRules({ rule })))
  }

/** CEL rules of custom resources: `x-kubernetes-validations`. */
export const rules: CaseGroup = independentCaseGroup('rule', {
  holds: ruled({ rule: 'self.a <= self.b' }, { a: 1, b: 2 }),
  fails: ruled({ rule: 'self.a <= self.b' }, { a: 3, b: 2 }),
  'with-message': ruled({ rule: 'self.a <= self.b', message: 'a is at most b' }, { a: 3, b: 2 }),
  'with-message-expression': ruled({ rule: 'self.a <= self.b', messageExpression: "'a over b'" }, { a: 3, b: 2 }),
  'with-reason-and-path': ruled(
    { rule: 'self.a <= self.b', reason: 'FieldValueForbidden', fieldPath: '.a', message: 'no' },
    { a: 3, b: 2 },
  ),
  'without-value': ruled({ rule: 'self.a <= self.b' }, { a: 3 }),
  'with-has': ruled({ rule: '!has(self.a) || self.a > 5' }, { b: 3 }),
  'over-a-list': ruled({ rule: "self.list.all(x, x.startsWith('a'))" }, { list: ['ab', 'b'] }),
  'over-a-map': ruled({ rule: 'self.map.all(k, self.map[k] > 0)' }, { map: { a: 1, b: 0 } }),
  'with-match': ruled({ rule: "self.t.matches('^[a-z]+$')" }, { t: 'A' }),
  'after-a-mistake': ruled({ rule: 'self.a <= self.b' }, { a: 'x', b: 2 }),
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
  'about-an-unknown-field': badRule('self.nope == 1'),
  'about-an-unknown-field-below': badRule('self.list.all(x, x == self.other)'),
  'of-another-type': badRule("self.a == 'x'"),
  'that-is-no-condition': badRule('self.a'),
})
