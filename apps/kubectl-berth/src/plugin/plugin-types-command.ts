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
      description: 'Types for the files in plugins, and for // @ts-check in JavaScript',
    },
    {
      command: 'tsc --noEmit --strict --allowJs --module preserve plugins/*.ts',
      description: 'Check the plugin files with the TypeScript compiler',
    },
  ],
  notes: ['Programs skip .d.ts files in a plugin directory.'],
  async run(_line, { terminal }) {
    const { pluginTypes } = await import('./plugin-types.ts')
    terminal.out(pluginTypes())
  },
}
