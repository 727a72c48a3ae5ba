import { describe, expect, test } from 'vitest'
import { validateExtendedResourceName } from './extended-resource-name.ts'
import { qualifiedNameProblem } from './qualified-name.ts'

describe('validateExtendedResourceName', () => {
  test.for([
    { name: 'dongle', reason: 'no domain' },
    { name: 'kubernetes.io/dongle', reason: 'belongs to Kubernetes' },
    { name: 'requests.example.com/dongle', reason: 'reserved for quotas' },
    { name: `${'a.'.repeat(122)}ab/x`, reason: 'more than 244 characters' },
    { name: '/x', reason: 'before the slash is empty' },
    { name: 'a/b/c', reason: 'more than one slash' },
    { name: 'EXAMPLE.com/x', reason: 'lower-case DNS name' },
    { name: 'example.com/', reason: 'the name is empty' },
    { name: `example.com/${'x'.repeat(64)}`, reason: 'more than 63 characters' },
    { name: 'example.com/-x', reason: 'a letter or digit at both ends' },
    { name: 'example.com/x\n', reason: 'a letter or digit at both ends' },
  ])('refuses $name: $reason', ({ name, reason }) => {
    expect(validateExtendedResourceName(name)).toContain(reason)
  })

  test.for(['example.com/dongle', 'a/b', `${'a.'.repeat(121)}ab/x`, `example.com/${'x'.repeat(63)}`])(
    'accepts %s',
    (name) => {
      expect(validateExtendedResourceName(name)).toBeUndefined()
    },
  )

  test('a qualified name may lack a domain, which has at most 253 characters', () => {
    expect(qualifiedNameProblem('dongle')).toBeUndefined()
    expect(qualifiedNameProblem(`${'a'.repeat(254)}/x`)).toContain('253')
  })
})
