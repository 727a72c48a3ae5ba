import { expect, test } from 'vitest'
import { readReport, type GinkgoSuiteReport } from './read-report.ts'

type SpecReport = GinkgoSuiteReport['SpecReports'][number]

const spec = (leaf: string, State: string, more: Partial<SpecReport> = {}): SpecReport => ({
  ContainerHierarchyTexts: ['[sig-scheduling] Pods', ''],
  LeafNodeText: leaf,
  LeafNodeType: 'It',
  State,
  RunTime: 2e9,
  ...more,
})

test('reads the specs that ran and leaves out those that the filters excluded', () => {
  const report = {
    SpecReports: [
      spec('passes', 'passed'),
      spec('is excluded', 'skipped', { Failure: { Message: '' } }),
      spec('skips itself', 'skipped', { Failure: { Message: 'one zone' } }),
      spec('is pending', 'pending'),
      spec('fails', 'failed', { Failure: { Message: 'expected' } }),
      spec('takes too long', 'timedout'),
    ],
  }
  expect([...readReport([report])]).toEqual([
    ['[sig-scheduling] Pods passes', { state: 'passed', message: '', seconds: 2 }],
    ['[sig-scheduling] Pods skips itself', { state: 'skipped', message: 'one zone', seconds: 2 }],
    ['[sig-scheduling] Pods fails', { state: 'failed', message: 'expected', seconds: 2 }],
    ['[sig-scheduling] Pods takes too long', { state: 'failed', message: '', seconds: 2 }],
  ])
})

test('refuses the report of a suite whose setup failed', () => {
  const failed = spec('', 'failed', {
    LeafNodeType: 'SynchronizedBeforeSuite',
    ContainerHierarchyTexts: null,
    Failure: { Message: 'no node is ready' },
  })
  expect(() => readReport([{ SpecReports: [failed] }])).toThrow('SynchronizedBeforeSuite : no node is ready')
})
