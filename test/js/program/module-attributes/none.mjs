import data from "./data.json";
