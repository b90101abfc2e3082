// A process for tests: opens the data directory it is given, writes a row, says "open" and stays until it is killed.

import { openDirectory } from "../../src/store/file/database.ts";

const { database } = openDirectory(process.argv[2]!, 0);
database.run("INSERT INTO applications (slug, created_at) VALUES ('written-by-the-other', 1)");
process.stdout.write("open\n");
process.stdin.resume();
setInterval(() => {}, 60_000);
