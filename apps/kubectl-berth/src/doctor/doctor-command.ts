import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'

/** The checks that can be asked for, in the order of the output. */
export const checkIds = [
  'kubelet-sockets',
  'pod-security',
  'stale-resources',
  'extender-calls',
  'extender-certificates',
  'scheduler-names',
  'client-limits',
] as const

/** `kubectl berth doctor`. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Checks what commonly breaks extended resources, with the evidence and a fix for each finding.',
  arguments: [
    {
      name: 'CHECK',
      isRepeatable: true,
      choices: checkIds,
      description: `Run only these checks: ${checkIds.join(', ')}. Default: all.`,
    },
  ],
  usesCluster: true,
  flags: [
    {
      name: 'strict',
      description: 'Also exit with 1 for warnings and for checks that could not read everything.',
    },
    outputFlag,
  ],
  examples: [
    { command: 'kubectl berth doctor', description: 'Every check' },
    { command: 'kubectl berth doctor stale-resources', description: 'Names that nothing offers any more' },
    { command: 'kubectl berth doctor --strict -o json', description: 'For programs, with an exit code' },
  ],
  notes: [
    '-o wide also prints what was examined.',
    'It changes nothing. Fixes that change something are sent to the API server as dry runs, which store nothing. A fix that the API server refuses is shown without its command.',
    'Exit codes: 0 no problem; 1 a problem was found (code BERTH_KUBECTL_DOCTOR), or the command failed (any other code); 2 wrong command line.',
  ],
  async run(line, context) {
    const { runDoctor } = await import('./run-doctor.ts')
    await runDoctor(line, context)
  },
}
