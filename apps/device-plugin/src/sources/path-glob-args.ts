import { z } from 'zod'

/** Arguments of the source `path-glob`. */
export const pathGlobArgs = z
  .strictObject({
    paths: z
      .array(z.string().regex(/^\//, 'expected an absolute path').max(4096))
      .min(1)
      .max(100)
      .describe('Absolute host paths; *, ?, [a-z], {a,b} and ** are patterns. Links are followed, their name is kept.'),
    permissions: z
      .string()
      .regex(/^(?!.*(.).*\1)[rwm]{1,3}$/, 'expected a choice of r, w and m')
      .default('rw')
      .describe('What containers may do with a device node: a choice of r (read), w (write), m (mknod).'),
    containerPath: z
      .string()
      .regex(/^\//, 'expected an absolute path')
      .optional()
      .describe('Where it appears in the container; {name} is the last part of its path. Default: as on the host.'),
    slots: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .describe('How many containers may use one path at a time; each slot counts as a device.'),
    healthFile: z
      .string()
      .regex(/^\//, 'expected an absolute path')
      .optional()
      .describe(
        'File that says Healthy or Unhealthy; {name} is the last part of the path. Anything else, or no file, is unhealthy.',
      ),
    checkReadable: z
      .boolean()
      .default(false)
      .describe('Whether a path that this process may not read is unhealthy; without it, being there is enough.'),
    topology: z.boolean().default(true).describe('Whether the NUMA node of a device node is told to the kubelet.'),
    rescanSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('How often the paths are looked for, besides at changes of their directories, in seconds.'),
  })
  .superRefine(({ paths, containerPath }, context) => {
    const isOnePath = paths.length === 1 && !/[*?[{]/.test(paths[0] ?? '')
    if (containerPath === undefined || containerPath.includes('{name}') || isOnePath) return
    const message = 'expected {name} in it, since a container may be given several paths'
    context.addIssue({ code: 'custom', path: ['containerPath'], message })
  })
  .describe('Arguments of path-glob.')

/** Checked arguments of the source `path-glob`. */
export type PathGlobArgs = z.output<typeof pathGlobArgs>
