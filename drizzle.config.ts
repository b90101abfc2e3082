// What drizzle-kit reads to turn a change in src/store/schema.ts into SQL under drizzle/; nothing at run time reads it.

import type { Config } from "drizzle-kit";

const config: Config = {
  dialect: "sqlite",
  schema: ["./src/store/schema.ts", "./src/store/schema-received.ts", "./src/store/schema-people.ts"],
  out: "./drizzle",
};

export default config;
