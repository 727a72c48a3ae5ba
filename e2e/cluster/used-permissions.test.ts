import { expect, test } from 'vitest'
import { permissionOf, permissionsIn } from './used-permissions.ts'

const request = (verb: string, objectRef: object) => ({
  auditID: 'a',
  verb,
  user: { username: 'u' },
  objectRef,
  requestURI: '/',
  requestReceivedTimestamp: '',
})

test('a request and the rule that allows it have one name, and a watch is not a list', () => {
  const rules = [{ apiGroups: ['', 'apps'], resources: ['pods/binding'], verbs: ['create', 'watch'] }]
  expect(permissionsIn(rules)).toEqual([
    '/pods/binding create',
    '/pods/binding watch',
    'apps/pods/binding create',
    'apps/pods/binding watch',
  ])
  expect(permissionOf(request('create', { resource: 'pods', subresource: 'binding' }))).toBe('/pods/binding create')
  expect(permissionOf(request('watch', { apiGroup: 'apps', resource: 'deployments' }))).toBe('apps/deployments watch')
  expect(permissionOf(request('get', {}))).toBeUndefined()
})
