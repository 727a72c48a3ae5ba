import { describe, expect, test } from 'vitest'
import { qualifiedNameProblem } from './qualified-name.ts'
import {
  extendedResourceNameKeywords,
  isAttachableVolumeResourceName,
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  isOvercommitAllowed,
  isPodLevelResourceName,
  isPrefixedNativeResourceName,
  isScalarResourceName,
  validateExtendedResourceName,
} from './resource-names.ts'

describe('name classes', () => {
  test.for([
    { name: 'cpu', native: true, extended: false, scalar: false },
    { name: 'storage', native: true, extended: false, scalar: false },
    { name: 'pods', native: true, extended: false, scalar: false },
    { name: 'hugepages-2Mi', native: true, extended: false, scalar: true },
    { name: 'attachable-volumes-csi-x', native: true, extended: false, scalar: true },
    { name: 'example.com/dongle', native: false, extended: true, scalar: true },
    { name: 'example.com/Dongle_1.x', native: false, extended: true, scalar: true },
    { name: 'kubernetes.io/x', native: true, extended: false, scalar: true },
    { name: 'mykubernetes.io/x', native: true, extended: false, scalar: true },
    { name: 'deviceclass.resource.kubernetes.io/gpu', native: true, extended: false, scalar: true },
    { name: 'requests.example.com/x', native: false, extended: false, scalar: false },
    { name: 'Example.com/x', native: false, extended: false, scalar: false },
    { name: `example.com/${'x'.repeat(63)}`, native: false, extended: true, scalar: true },
    { name: `example.com/${'x'.repeat(64)}`, native: false, extended: false, scalar: false },
    { name: '__proto__', native: true, extended: false, scalar: false },
    { name: 'example.com/__proto__', native: false, extended: false, scalar: false },
  ])('$name', ({ name, native, extended, scalar }) => {
    expect([isNativeResourceName(name), isExtendedResourceName(name), isScalarResourceName(name)]).toEqual([
      native,
      extended,
      scalar,
    ])
    const { pattern, not } = extendedResourceNameKeywords
    expect(new RegExp(pattern).test(name) && !new RegExp(not.pattern).test(name)).toBe(extended)
  })

  test('prefixes', () => {
    expect([isHugePageResourceName('hugepages-'), isHugePageResourceName('xhugepages-1Gi')]).toEqual([true, false])
    expect([isAttachableVolumeResourceName('attachable-volumes-x'), isAttachableVolumeResourceName('x')]).toEqual([
      true,
      false,
    ])
    expect([isPrefixedNativeResourceName('a.kubernetes.io/b'), isPrefixedNativeResourceName('a.io/b')]).toEqual([
      true,
      false,
    ])
  })

  test('overcommit and pod level', () => {
    expect(['cpu', 'hugepages-1Gi', 'a.b/c'].map(isOvercommitAllowed)).toEqual([true, false, false])
    expect(['cpu', 'memory', 'hugepages-1Gi', 'ephemeral-storage', 'a.b/c'].map(isPodLevelResourceName)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

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
