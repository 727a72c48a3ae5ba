/** Runs a resource source in a test as the advertiser does. */
import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { createPluginRegistry, type BerthPlugin, type ResourceReading, type SourceEnv } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'

/** A source under virtual time. */
export interface TestSource {
  readonly clock: FakeClock
  /** Computes the reading of a node. Default: node-a, without a deadline. */
  compute(nodeName?: string, signal?: AbortSignal): Promise<ResourceReading>
}

/**
 * Creates a source with checked arguments and results.
 *
 * @throws PluginError BERTH_PLUGIN_ARGS, BERTH_PLUGIN_CREATE
 */
export function testSource(plugin: BerthPlugin, args: object, env: Partial<SourceEnv> = {}): TestSource {
  const clock = fakeClock()
  const whole: SourceEnv = { clock, log: silentLogger, random: () => 0, resourceName: 'example.com/seat', ...env }
  const source = createPluginRegistry([{ plugin, origin: 'test' }]).createResourceSource(plugin.name, args, whole)
  return {
    clock,
    compute: (name = 'node-a', signal = new AbortController().signal) => source.compute({ metadata: { name } }, signal),
  }
}
