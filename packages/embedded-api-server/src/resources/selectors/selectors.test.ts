import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { selectableFields } from '../kinds/selectable-fields.ts'
import { matchesFields, parseFieldSelector } from './field-selector.ts'
import { labelMatcher, parseLabelSelector } from './label-selector.ts'

describe('parseLabelSelector', () => {
  const labels = { app: 'web', tier: 'front', level: '12' }
  test.for([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app=db', false],
    ['app!=db', true],
    ['zone!=a', true],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['app notin (db),tier=front', true],
    ['app notin (web)', false],
    ['tier', true],
    ['!tier', false],
    ['!zone,app', true],
    ['constructor', false],
    ['level>9', true],
    ['level > 12', false],
    ['level<13', true],
    ['app>1', false],
    ['zone<1', false],
    ['zone=', false],
    ['app in (,web)', true],
  ] as const)('%s selects: %s', ([text, expected]) => {
    expect(parseLabelSelector(text)(labels)).toBe(expected)
  })

  // The messages were recorded on a real v1.36.3.
  test.for([
    ['!!', "unable to parse requirement: found '!', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a,=', "found '=', expected: identifier after ','"],
    ['a,', "found '', expected: identifier after ','"],
  ] as const)('refuses %s', ([text, why]) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ message: why }))
  })
})

describe('labelTest', () => {
  test('a missing selector matches nothing, an empty one everything', () => {
    expect(labelMatcher(undefined)({})).toBe(false)
    expect(labelMatcher({})({})).toBe(true)
  })

  test('matches only if all labels and expressions match', () => {
    const selects = labelMatcher({ matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] })
    expect(selects({ a: '1', b: '' })).toBe(true)
    expect(selects({ a: '1' })).toBe(false)
    expect(labelMatcher({ matchExpressions: [{ key: 'b', operator: 'Near' }] })({ b: '' })).toBe(false)
  })
})

describe('parseFieldSelector', () => {
  const fields = selectableFields('/pods')
  const pod: ApiObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName: 'n1' } }
  test.for([
    ['spec.nodeName=n1', true],
    ['spec.nodeName!=n1', false],
    ['spec.nodeName=n1,status.phase!=Running', true],
    ['status.phase=', true],
    ['spec.hostNetwork=false', true],
    ['metadata.name==p', true],
  ] as const)('%s selects: %s', ([text, expected]) => {
    expect(matchesFields(pod, parseFieldSelector(text, fields), fields)).toBe(expected)
  })

  test('refuses a field that the kind cannot be selected by', () => {
    expect(() => parseFieldSelector('spec.color=red', fields)).toThrow('field label not supported: spec.color')
    expect(() => parseFieldSelector('nonsense', fields)).toThrow("can't understand")
  })
})
