import { expect, test } from 'vitest'
import { parseAuditLog } from './audit-log.ts'

test('returns the audited requests among the lines of an API server', () => {
  const request = {
    auditID: 'a',
    verb: 'get',
    user: { username: 'u' },
    requestURI: '/api',
    requestReceivedTimestamp: 't',
  }
  const line = JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...request })
  expect(parseAuditLog(`I0101 starting\n${line}\n{"other":1}\n`)).toEqual([
    { kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...request },
  ])
})
