import type { Command } from '../cli/command.ts'

/** `kubectl berth plugin types`. */
export const pluginTypesCommand: Command = {
  name: 'plugin types',
  summary: 'Prints the types of everything that a plugin file may import, as one .d.ts file that needs no npm.',
  usesCluster: false,
  flags: [],
  examples: [
    {
      command: 'kubectl berth plugin types > plugins/berth-plugin.d.ts',
      description: 'Types for the plugin files in plugins, also for // @ts-check in JavaScript',
    },
    {
      command:
        'tsc --noEmit --strict --allowJs --module esnext --moduleResolution bundler plugins/quiet-hours.ts plugins/berth-plugin.d.ts',
      description: 'Check a plugin with the TypeScript compiler',
    },
  ],
  notes: ['Programs skip .d.ts files in a plugin directory.'],
  async run(_line, { terminal }) {
    const { pluginTypes } = await import('./plugin-types.ts')
    terminal.out(pluginTypes())
  },
}
