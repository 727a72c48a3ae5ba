import { z } from 'zod'

/** Where an image comes from. */
export function imageKeys(description: string): z.ZodType {
  return z
    .strictObject({
      repository: z.string().min(1).describe('Registry and name, without a tag.'),
      tag: z.string().describe('Tag; empty: the version.'),
      digest: z
        .string()
        .regex(/^(?:sha256:[0-9a-f]{64})?$/)
        .describe('sha256:…, goes before the tag; empty: by tag.'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).describe('When it is pulled.'),
    })
    .describe(description)
}
