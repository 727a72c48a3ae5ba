import assert from 'node:assert/strict'
import { ConfigError } from '@berth/process/config'
import { readSchedulerConfiguration, type SchedulerConfiguration } from '../../src/index.ts'

const read = (text: string): SchedulerConfiguration => readSchedulerConfiguration('scheduler.yaml', () => text)

export const contract: string = 'The configuration with its defaults, written as JSON, reads as the same configuration.'
export const refusals: readonly unknown[] = [ConfigError]
export const dictionary: readonly string[] = [
  'apiVersion: ',
  'kind: ',
  'kubescheduler.config.k8s.io/v1',
  'KubeSchedulerConfiguration',
  'profiles:',
  'plugins',
  'pluginConfig',
  'schedulerName',
  'extenders',
  'urlPrefix',
  'args',
  'enabled',
  'disabled',
  'leaderElection',
  'podInitialBackoffSeconds',
  'podMaxBackoffSeconds',
  'percentageOfNodesToScore',
  'clientConnection',
  'httpTimeout',
  'managedResources',
  'name',
  'weight',
  '1s',
  '&a',
  '*a',
  '<<',
]

export const parse = (input: Uint8Array): SchedulerConfiguration => read(Buffer.from(input).toString())

export function verify(configuration: SchedulerConfiguration): void {
  const text = JSON.stringify(configuration)
  assert.equal(JSON.stringify(read(text)), text)
}
