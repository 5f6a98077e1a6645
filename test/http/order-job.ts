/** A job with a step, a sleep and a wait, for whoever looks at them. */
import { defineJob } from '../../src/index.ts'

export const order = defineJob({
  name: 'order',
  run: async (ctx) => {
    await ctx.step('charge', () => ({ charged: 7 }))
    await ctx.sleep('cool off', '10ms')
    const answer = await ctx.waitFor('approve')
    return await ctx.step('ship', () => (answer.outcome === 'signal' ? { ...answer } : null))
  },
})
